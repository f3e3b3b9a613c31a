import { watchAction } from '../../changes/wait/action.ts';
import type { Context } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type Action, actions, hasEnded } from '../../resources/action.ts';
import { recent } from '../../resources/deployment.ts';
import type { ScaleArgument } from './scale-arguments.ts';

/**
 * Finds out what still scales processes of a stack: until it has ended, the shown counts are the old ones. With --wait it
 * is waited for; else a relative count is refused, and an absolute one warned about. True where something is unfinished.
 */
export async function checkUnfinished(
  context: Context,
  stack_id: string,
  asked: readonly ScaleArgument[],
): Promise<boolean> {
  const found = await unfinishedScales(context, stack_id);
  const names = found.map(({ id }) => `action ${id}`).join(', ');
  if (found.length === 0) return false;
  if (context.wait && !context.dryRun) {
    for (const action of found) await waitForEnd(context, stack_id, action);
    return false;
  }
  const relative = asked.find(({ sign }) => sign !== '=');
  if (!relative) context.warn(`a scale is not finished (${names}): the counts before it are shown`);
  else {
    const message = `${relative.name} cannot be scaled by a difference: a scale is not finished (${names})`;
    const after = found.map(({ id }) => ({ path: 'action wait', operands: [String(id)], stack_id }));
    throw new Problem('rejected', `${message}; nothing was sent`, { retry: { after } });
  }
  return true;
}

/** An action does not say which process it scales. */
async function unfinishedScales(context: Context, stack_id: string): Promise<readonly Action[]> {
  const found = await unlessUnreadable(context.call(actions.list, { stack_id }, { limit: recent }));
  const isScale = ({ action, action_type }: Action) => /process_?scale/i.test(action ?? action_type ?? '');
  return (found ?? []).filter((row) => row.id !== null && isScale(row) && !hasEnded(row));
}

/** However it ends: the counts are read afterwards. */
async function waitForEnd(context: Context, stack_id: string, action: Action): Promise<void> {
  try {
    await context.follow(watchAction(context.call, { stack_id, id: Number(action.id) }, action));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { kind, message, details } = error;
    if (kind === 'operation_failed') return;
    throw new Problem(kind, `not scaled: ${message}`, details.hint === undefined ? {} : { hint: details.hint });
  }
}
