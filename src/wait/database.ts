import type { Observer, Read } from '../contract/observe.ts';
import type { InputOf } from '../contract/operation.ts';
import type { Action } from '../resources/action.ts';
import { databases } from '../resources/database.ts';
import { databaseUsers } from '../resources/database-user.ts';
import { confirmedAction, watchQueued } from './action.ts';

interface Place {
  readonly stack_id: string;
  readonly server_group_id: string;
}
/** What is known of the things of one kind: by what they are named and by what they are deleted. */
interface Known {
  readonly uid: string;
  readonly name: string;
}
type List = (read: Read, place: Place) => Promise<readonly Known[]>;

const listDatabases: List = (read, { stack_id, server_group_id }) =>
  read(databases.list, { stack_id, server_group_id });
const listUsers: List = async (read, { stack_id, server_group_id }) =>
  (await read(databaseUsers.list, { stack_id, server_group_id })).map(({ uid, username }) => ({ uid, name: username }));

/** Every listing makes the service look again at the database server, which takes a while (service.md, Databases). */
const patienceMs = 30_000;

export const createDatabaseObserver: Observer<
  InputOf<typeof databases.create>,
  readonly string[],
  Action
> = creationObserver(listDatabases, ({ database_name }) => database_name);
export const deleteDatabaseObserver = deletionObserver<InputOf<typeof databases.delete>>(listDatabases);
export const createUserObserver: Observer<
  InputOf<typeof databaseUsers.create>,
  readonly string[],
  Action
> = creationObserver(listUsers, ({ username }) => username);
export const deleteUserObserver = deletionObserver<InputOf<typeof databaseUsers.delete>>(listUsers);

/** Nothing but its action tells that a password was replaced. */
export const regenerateObserver: Observer<InputOf<typeof databaseUsers.regeneratePassword>, undefined, Action> = {
  watch: (read, { stack_id }, { answer }) => watchQueued(read, stack_id, answer),
};

/** Created when the name is there and was not there before. */
function creationObserver<Input extends Place>(
  list: List,
  nameOf: (input: Input) => string,
): Observer<Input, readonly string[], Action> {
  const names = async (read: Read, input: Input) => (await list(read, input)).map(({ name }) => name);
  return {
    patienceMs,
    note: names,
    look: async (read, input, note) => {
      if (!note || note.includes(nameOf(input))) return undefined;
      return (await names(read, input)).includes(nameOf(input))
        ? confirmedAction({ finished_success: true })
        : undefined;
    },
    watch: (read, input, { note, answer }) => {
      const mayTell = note && !note.includes(nameOf(input));
      const effect = mayTell ? async () => (await names(read, input)).includes(nameOf(input)) : undefined;
      return watchQueued(read, input.stack_id, answer, effect);
    },
  };
}

/** Deleted when the UID is gone. */
function deletionObserver<Input extends Place & { readonly id: string }>(
  list: List,
): Observer<Input, undefined, Action> {
  const isGone = async (read: Read, input: Input) => !(await list(read, input)).some(({ uid }) => uid === input.id);
  return {
    look: async (read, input) =>
      (await isGone(read, input)) ? confirmedAction({ finished_success: true }) : undefined,
    watch: (read, input, { answer }) => watchQueued(read, input.stack_id, answer, () => isGone(read, input)),
  };
}
