import { Likely, type Watch } from '../contract/observe.ts';
import { Problem } from '../problems/problem.ts';
import type { Change } from './change-parts.ts';

/** What came of a change: its answer, or what was found in the place of a lost one. */
export interface Sent {
  readonly answer: unknown;
  /** What was found in its place is likely but not certain. */
  readonly likely?: true;
}

/** Looks instead of repeating (reliability 3); what is found takes the place of the lost answer. */
export async function lookAfter(change: Change, note: unknown, error: unknown): Promise<Sent | undefined> {
  const { parts, contact, observer } = change;
  const isUnknown = error instanceof Problem && error.kind === 'outcome_unknown';
  if (!isUnknown || !contact.reconcile || !observer?.look || parts.host.signal.aborted) return undefined;
  const found = await contact.during(
    () => 'the answer was lost; looking',
    () => lookPatiently(change, note),
  );
  if (found === undefined) return undefined;
  if (found instanceof Likely) {
    contact.warn(`${error.message}; looking at the service shows what probably comes from it`);
    return { answer: found.answer, likely: true };
  }
  contact.warn(`${error.message}; looking at the service shows that it did`);
  return { answer: found };
}

async function lookPatiently({ parts, input, observer }: Change, note: unknown): Promise<unknown> {
  const { read, host } = parts;
  const deadlineMs = host.now().getTime() + (observer?.patienceMs ?? 0);
  for (;;) {
    const answer: unknown = await observer?.look?.(read, input, note).catch(ignoreProblem);
    if (answer !== undefined || host.now().getTime() >= deadlineMs || host.signal.aborted) return answer;
    await host.sleep(2_000, host.signal).catch(() => undefined);
  }
}

/** A look that fails settles nothing; the lost answer is what is told. */
function ignoreProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

/** A run without --wait ends with this when what was found is likely and not certain. */
export function likelyTaken({ name, resume }: Watch, value: unknown): Problem {
  return new Problem(
    'pending',
    `${name} was probably started by this: its answer was lost, and it is the only new one`,
    {
      ...(resume !== undefined && { hint: resume }),
      partial: { value },
    },
  );
}
