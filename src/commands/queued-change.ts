import { failedOrNot, type ItemError } from '../batch/change-each.ts';
import { type Action, isDone } from '../resources/action.ts';

/** How far a change has come whose answer says no more than that it is queued. */
export const changeStates = ['queued', 'changed', 'unchanged', 'failed', 'unknown', 'not tried'] as const;
type ChangeState = (typeof changeStates)[number];

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
