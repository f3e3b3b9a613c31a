import { statusOf } from '../../changes/wait/action.ts';
import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { type Action, actions } from '../../resources/action.ts';
import type { servers } from '../../resources/server.ts';

/** IDs of the newest actions before the request; undefined where the service lists none. */
type KnownIds = readonly number[] | undefined;

/**
 * The response to a reboot has no ID, and the codes of a server's health are not documented. Only a new action record
 * can show when it has finished.
 */
export const rebootObserver: Observer<InputOf<typeof servers.reboot>, KnownIds> = {
  snapshot: async (read, { stack_id }) => (await newestActions(read, stack_id))?.map(({ id }) => id ?? 0),
  watch: (read, { stack_id }, { snapshot, answer }) => ({
    name: 'the reboot',
    resume: { path: 'action list', stack_id },
    check: async () => {
      const unseen = { state: 'unseen', text: 'the service shows no record of it', value: answer } as const;
      const found =
        snapshot &&
        (await newestActions(read, stack_id))?.find((action) => isReboot(action) && isNew(action, snapshot));
      return found ? statusOf(found) : unseen;
    },
  }),
};

function isReboot({ action, action_type }: Action): boolean {
  return /reboot/i.test(action_type ?? action ?? '');
}

function isNew({ id }: Action, known: readonly number[]): boolean {
  return id !== null && id > Math.max(0, ...known);
}

function newestActions(read: Read, stack_id: string): Promise<readonly Action[] | undefined> {
  return readOrUndefined(read(actions.list, { stack_id }, { limit: 30 }));
}
