import { failedOrNot, type ItemError } from '../batch/change-each.ts';
import type { CommandLine } from '../contract/command-line.ts';
import { group, optional } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';
import { type Action, actionOf, hasEnded, idOf, isDone, StackAction } from '../resources/action.ts';

/** How far a change has come whose answer says no more than that it is queued. */
export const changeStates = ['queued', 'changed', 'unchanged', 'failed', 'unknown', 'not tried'] as const;
type ChangeState = (typeof changeStates)[number];

/** The field of a change that was answered by an action, although another reply is documented. */
export const itsAction = optional(group(StackAction.fields, 'The action, where it was queued as one.'));

/** A change that goes on as an action, by its reply; undefined where it is done. */
export function queuedBy(reply: unknown): Action | undefined {
  const action = actionOf(reply);
  return action && !isDone(action) ? action : undefined;
}

/** How one change went: it is done, or an action goes on or has failed. */
export type Made<Reply> =
  | { readonly change: 'done'; readonly reply: Reply }
  | { readonly change: 'queued' | 'failed'; readonly action: Action };

/** One change as a row, also where its action was not seen to end well: then the row is what is known of it. */
export async function makeChange<Reply, Row>(
  calling: Promise<Reply>,
  rowOf: (made: Made<Reply>) => Promise<Row> | Row,
): Promise<Row> {
  try {
    const reply = await calling;
    const action = queuedBy(reply);
    return await rowOf(action ? { change: 'queued', action } : { change: 'done', reply });
  } catch (error) {
    const action = error instanceof Problem ? actionOf(error.details.partial?.value) : undefined;
    if (!action || !(error instanceof Problem)) throw error;
    const change = error.kind === 'pending' ? 'queued' : 'failed';
    throw error.with({ partial: { value: await rowOf({ change, action }) } });
  }
}

/** How far it is by its action. */
export function fate(action: Action): 'queued' | 'changed' {
  return isDone(action) ? 'changed' : 'queued';
}

/** What became of one that did not go through; one whose end was not seen goes on. */
export function misfortune(error: ItemError): Exclude<ChangeState, 'changed' | 'unchanged'> {
  return error?.code === 'pending' ? 'queued' : failedOrNot(error);
}

/** Whether there is, or will be, something to undo. */
export function isUnderWay(change: ChangeState): boolean {
  return change === 'queued' || change === 'changed';
}

/**
 * The commands that undo changes, each action waited for first: until then the old value still stands, and to set it would
 * change nothing. None where an action has no number.
 */
export function undoAfter(
  actions: readonly (Action | null)[],
  stack_id: string,
  undo: readonly CommandLine[],
): readonly CommandLine[] {
  const ids = actions.flatMap((action) => (action === null || hasEnded(action) ? [] : [idOf(action)]));
  if (undo.length === 0 || ids.includes(null)) return [];
  return [...ids.map((id) => ({ path: 'action wait', operands: [String(id)], stack_id })), ...undo];
}
