import { queueShapeB } from '../effects/queue.ts';
import { refuse } from '../refusal.ts';
import type { HeldDatabase, HeldGroup } from '../state.ts';
import { databaseGroupOf, stackOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const databaseHandlers: HandlersOf<'databases'> = {
  list: (world, place) => {
    const group = databaseGroupOf(world, place);
    return group.databases.map((database) => ({ ...database, users: usersOf(group, database) }));
  },
  create: (world, { database_name, database_user_ids = [], ...place }) => {
    const group = databaseGroupOf(world, place);
    checkName(database_name);
    if (group.databases.some(({ name }) => name === database_name)) {
      refuse(400, `invalid database name: "${database_name}" already exists`);
    }
    const unknown = database_user_ids.find((uid) => !group.users.some((user) => user.uid === uid));
    if (unknown !== undefined) refuse(404, `database user "${unknown}" not found`);
    const effect = { kind: 'database_create', name: database_name, userUids: database_user_ids } as const;
    return queueShapeB(world, stackOf(world, place.stack_id), { ...effect, group: group.row.id });
  },
  delete: (world, { id, ...place }) => {
    const group = databaseGroupOf(world, place);
    if (!group.databases.some(({ uid }) => uid === id)) refuse(404, `database "${id}" not found`);
    const stack = stackOf(world, place.stack_id);
    return queueShapeB(world, stack, { kind: 'database_delete', group: group.row.id, uid: id });
  },
};

function usersOf({ users }: HeldGroup, { uid }: HeldDatabase): readonly string[] {
  return users.filter(({ databaseUids }) => databaseUids.includes(uid)).map(({ username }) => username);
}

function checkName(name: string): void {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(name)) return;
  refuse(400, `invalid database name: "${name}" must be 1 to 63 letters, digits or underscores, no digit first`);
}
