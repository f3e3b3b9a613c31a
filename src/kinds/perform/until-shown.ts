import type { Context } from '../../contract/command.ts';
import type { Status } from '../../contract/observe.ts';
import type { Change, Step } from '../../contract/plan.ts';
import { whyText } from '../../problems/or-warn.ts';
import { Problem } from '../../problems/problem.ts';

type Changes = readonly Change[];

/** Reads until the service shows all changes; throws pending with the records as last seen where it does not in time. */
export async function untilShown(
  context: Context,
  steps: readonly Step[],
  { first, read }: { readonly first: Changes; readonly read: () => Promise<Changes> },
): Promise<Changes> {
  const names = steps.filter((_, at) => first[at]?.change === 'accepted').map(({ name }) => name);
  if (names.length === 0) return first;
  let unread: Changes | undefined = first;
  let seen = first;
  const check = async (): Promise<Status> => {
    seen = unread ?? (await read().catch(asPending));
    unread = undefined;
    if (seen.some(isAccepted)) return { state: 'running', text: 'accepted, not shown yet', value: seen };
    return { state: 'good', text: 'shown', value: seen };
  };
  try {
    await context.follow({ name: names.join(', '), resume: undefined, check });
    return seen;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { kind: code, message } = error;
    const records = seen.map((change) => (isAccepted(change) ? { ...change, error: { code, message } } : change));
    throw error.with({ partial: { value: records } });
  }
}

function isAccepted({ change }: Change): boolean {
  return change === 'accepted';
}

/** What cannot be read is not known to have failed. */
function asPending(error: unknown): never {
  throw error instanceof Problem ? error : new Problem('pending', whyText(error));
}
