import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { Problem } from '../../problems/problem.ts';
import { type Action, actionWith } from '../../resources/action.ts';
import { databases } from '../../resources/database.ts';
import { databaseUsers } from '../../resources/database-user.ts';
import { patienceMs } from './action.ts';

interface Place {
  readonly stack_id: string;
  readonly server_group_id: string;
}
/** What is known of the things of one kind: by what they are named and by what they are deleted. */
interface Known {
  readonly uid: string;
  readonly name: string;
}
interface Kind {
  /** `database user` */
  readonly noun: string;
  /** Of its commands: `db user`. */
  readonly words: string;
  readonly list: (read: Read, place: Place) => Promise<readonly Known[]>;
}

const database: Kind = {
  noun: 'database',
  words: 'db',
  list: (read, { stack_id, server_group_id }) => read(databases.list, { stack_id, server_group_id }),
};
const user: Kind = {
  noun: 'database user',
  words: 'db user',
  list: async (read, { stack_id, server_group_id }) =>
    (await read(databaseUsers.list, { stack_id, server_group_id })).map(({ uid, username }) => ({
      uid,
      name: username,
    })),
};

export const createDatabaseObserver = creationObserver<InputOf<typeof databases.create>>(
  database,
  ({ database_name }) => database_name,
);
export const deleteDatabaseObserver = deletionObserver<InputOf<typeof databases.delete>>(database);
export const createUserObserver = creationObserver<InputOf<typeof databaseUsers.create>>(
  user,
  ({ username }) => username,
);
export const deleteUserObserver = deletionObserver<InputOf<typeof databaseUsers.delete>>(user);

/** Created when the name is there; where it is there before, nothing is sent. */
function creationObserver<Input extends Place>(
  { list, words, noun }: Kind,
  nameOf: (input: Input) => string,
): Observer<Input, true, Action> {
  const isThere = async (read: Read, input: Input) =>
    (await list(read, input)).some(({ name }) => name === nameOf(input));
  return {
    patienceMs,
    note: async (read, input) => {
      if (!(await isThere(read, input))) return true;
      const { stack_id, server_group_id } = input;
      throw new Problem('rejected', `${noun} "${nameOf(input)}" exists already; nothing was sent`, {
        hint: { path: `${words} list`, stack_id, server_group_id },
      });
    },
    look: async (read, input, wasAbsent) =>
      wasAbsent && (await isThere(read, input)) ? actionWith({ finished_success: true }) : undefined,
  };
}

/** Deleted when the UID is gone. */
function deletionObserver<Input extends Place & { readonly id: string }>({
  list,
}: Kind): Observer<Input, undefined, Action> {
  const isGone = async (read: Read, input: Input) => !(await list(read, input)).some(({ uid }) => uid === input.id);
  return {
    patienceMs,
    look: async (read, input) => ((await isGone(read, input)) ? actionWith({ finished_success: true }) : undefined),
  };
}
