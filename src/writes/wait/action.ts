import type { Context } from '../../contract/command.ts';
import type { Read, Watch, WatchStatus } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { CliError, expectCliError, readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actions, isSuccessful } from '../../resources/action.ts';

/** Reads whether the service shows the effect of an action whose record cannot be read. */
export type EffectCheck = () => Promise<boolean>;

/** Returns a watch that reads the record of an action, else its effect. If neither can be read, its end is unseen. */
export function createActionWatch(
  read: Read,
  { stack_id, id }: InputOf<typeof actions.get>,
  queuedAction: Action,
  checkEffect?: EffectCheck,
): Watch {
  return {
    name: `action ${id}`,
    resume: { path: 'action wait', operands: [String(id)], stack_id },
    check: async () => {
      const action = await readOrUndefined(read(actions.get, { stack_id, id }));
      if (action) return statusOf(action);
      return statusByEffect(queuedAction, checkEffect, 'the service has no record of the action');
    },
  };
}

/** Returns a watch of a queued action. Without an id and a stack it has no record, so only its effect is read. */
export function createQueuedWatch(
  read: Read,
  stack_id: string | undefined,
  queuedAction: Action,
  checkEffect?: EffectCheck,
): Watch {
  const { id } = queuedAction;
  if (id !== null && stack_id !== undefined)
    return createActionWatch(read, { stack_id, id }, queuedAction, checkEffect);
  const why = id === null ? 'its ID is unknown' : 'the service keeps action records for stacks only';
  return {
    name: id === null ? 'the action' : `action ${id}`,
    resume: undefined,
    check: () => statusByEffect(queuedAction, checkEffect, why),
  };
}

/** Returns the status of an action: `running` until it has `finished_at`, then `good` only with `finished_success`. */
export function statusOf(action: Action): WatchStatus {
  const { finished_at, finished_message, started_at } = action;
  if (!finished_at) return { state: 'running', text: started_at ? 'started' : 'queued', value: action };
  const state = isSuccessful(action) ? 'good' : 'failed';
  const word = state === 'good' ? 'succeeded' : 'failed';
  return { state, text: finished_message ? `${word}: ${finished_message}` : word, value: action };
}

async function statusByEffect(action: Action, checkEffect: EffectCheck | undefined, why: string): Promise<WatchStatus> {
  if (!checkEffect) return { state: 'unseen', text: why, value: action };
  if (!(await checkEffect())) return { state: 'running', text: 'no effect seen yet', value: action };
  const finished_message = 'seen in what it changed, its record cannot be read';
  return { state: 'good', text: finished_message, value: { ...action, finished_success: true, finished_message } };
}

/** Returns a watch whose first check returns `first`. Later checks are those of the given watch. */
export function watchWithFirstStatus(first: WatchStatus, { check, ...watch }: Watch): Watch {
  let firstStatus: WatchStatus | undefined = first;
  return {
    ...watch,
    check: async () => {
      const status = firstStatus ?? (await check());
      firstStatus = undefined;
      return status;
    },
  };
}

/** Returns the status of what blocks a change: `running` while there are reasons, then `good`. */
export function blockerStatus(reasons: readonly string[]): WatchStatus {
  return { state: reasons.length > 0 ? 'running' : 'good', text: reasons.join(', ') || 'finished', value: undefined };
}

/** Waits until the blocking operation has ended. If the wait ends before, throws `failurePrefix: reason`. */
export async function waitForBlocker(context: Context, watch: Watch, failurePrefix: string): Promise<void> {
  const error = await context.follow(watch).then(() => undefined, expectCliError);
  if (!error || error.kind === 'operation_failed') return;
  // Only the message and the hint are kept, because the change itself was not sent.
  throw new CliError(error.kind, `${failurePrefix}: ${error.message}`, { hint: error.details.hint });
}
