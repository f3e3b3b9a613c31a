import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import type { databases } from '../../resources/database.ts';
import type { DatabaseUser } from '../../resources/database-user.ts';
import { queueShapeB } from '../actions.ts';
import { nextMadeUp, stamp } from '../seed/made-up.ts';
import { databaseRow } from '../seed/rows.ts';
import type { HeldDatabase, HeldDatabaseUser, HeldGroup, StoredAction } from '../state.ts';
import { type Ending, type HandlersOf, refuse, type SandboxWorld, stackOf } from '../world.ts';

type Place = InputOf<typeof databases.list>;

function groupOf(world: SandboxWorld, place: Place): HeldGroup {
  const id = place.server_group_id;
  const { groups } = stackOf(world, place.stack_id);
  const group = groups.find(({ row }) => String(row.id) === id) ?? refuse(404, `server group "${id}" not found`);
  if (group.row.type !== 'postgresql')
    refuse(400, `server group "${id}" (${group.row.name}) does not support database operations`);
  return group;
}

function queue(
  world: SandboxWorld,
  place: Place,
  { type, uid = null }: { readonly type: string; readonly uid?: string | null },
  end: () => Ending,
): StoredAction {
  const resource_type = type.startsWith('database_user') ? 'database_user' : 'database';
  const about = { action_type: type, resource_type, resource_id: uid };
  return queueShapeB(world, stackOf(world, place.stack_id), about, end);
}

function checkNewName(what: string, name: string, longest: number, taken: readonly string[]): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > longest) {
    refuse(400, `invalid ${what}: "${name}" must be 1 to ${longest} letters, digits or underscores, no digit first`);
  }
  if (taken.includes(name)) refuse(400, `invalid ${what}: "${name}" already exists`);
}

function databaseOf({ databases: held }: HeldGroup, uid: string): HeldDatabase {
  return held.find((one) => one.uid === uid) ?? refuse(404, `database "${uid}" not found`);
}

function userOf({ users }: HeldGroup, uid: string): HeldDatabaseUser {
  return users.find((one) => one.uid === uid) ?? refuse(404, `database user "${uid}" not found`);
}

export const databaseHandlers: HandlersOf<'databases'> = {
  list: (world, place) => {
    const { databases: held, users } = groupOf(world, place);
    const usersOf = ({ uid }: HeldDatabase) => users.filter(({ databaseUids }) => databaseUids.includes(uid));
    return held.map((database) => ({ ...database, users: usersOf(database).map(({ username }) => username) }));
  },
  create: (world, { database_name: name, database_user_ids: userUids = [], ...place }) => {
    const group = groupOf(world, place);
    const taken = group.databases.map((database) => database.name);
    checkNewName('database name', name, 63, taken);
    const users = userUids.map((uid) => userOf(group, uid));
    return queue(world, place, { type: 'database_create' }, () => {
      const uid = `db${nextMadeUp(world.state, 'database', 6)}`;
      group.databases.push(databaseRow(uid, name, stamp(world.now)));
      for (const user of new Set(users)) user.databaseUids.push(uid);
      return { message: `Database ${name} created.`, resource_id: uid };
    });
  },
  delete: (world, { id: uid, ...place }) => {
    const group = groupOf(world, place);
    const found = databaseOf(group, uid);
    return queue(world, place, { type: 'database_delete', uid }, () => {
      group.databases = group.databases.filter((database) => database !== found);
      for (const user of group.users) user.databaseUids = user.databaseUids.filter((other) => other !== uid);
      return { message: `Database ${found.name} deleted.` };
    });
  },
};

const userTypes = ['application', 'readonly'];

export const databaseUserHandlers: HandlersOf<'databaseUsers'> = {
  list: (world, { show_password = false, ...place }) => {
    const group = groupOf(world, place);
    if (show_password && !world.scopes.includes('admin')) refuse(403, 'show_password needs edit permission');
    return group.users.map((user) => show(group, user, show_password));
  },
  create: (world, { username, user_type = 'application', database_ids = [], ...place }) => {
    const group = groupOf(world, place);
    if (!userTypes.includes(user_type)) {
      refuse(400, `invalid user type: "${user_type}" must be one of ${userTypes.join(', ')}`);
    }
    const taken = group.users.map((user) => user.username);
    checkNewName('username', username, 32, taken);
    const uids = new Set(database_ids.map((uid) => databaseOf(group, uid).uid));
    return queue(world, place, { type: 'database_user_create' }, () => {
      const uid = `du${nextMadeUp(world.state, 'database user', 6)}`;
      const facts = { password: newPassword(world), created_at: stamp(world.now), databaseUids: [...uids] };
      group.users.push({ uid, username, user_type, ...facts });
      return { message: `Database user ${username} created.`, resource_id: uid };
    });
  },
  regeneratePassword: (world, { id: uid, ...place }) => {
    const user = userOf(groupOf(world, place), uid);
    return queue(world, place, { type: 'database_user_password_change', uid }, () => {
      user.password = newPassword(world);
      return { message: `Password of ${user.username} changed.` };
    });
  },
  delete: (world, { id: uid, ...place }) => {
    const group = groupOf(world, place);
    const user = userOf(group, uid);
    return queue(world, place, { type: 'database_user_delete', uid }, () => {
      group.users = group.users.filter((other) => other !== user);
      return { message: `Database user ${user.username} deleted.` };
    });
  },
};

function show({ databases }: HeldGroup, user: HeldDatabaseUser, withPassword: boolean): RecordOf<typeof DatabaseUser> {
  const { uid, username, user_type, created_at, password, databaseUids } = user;
  const names = databases.filter((database) => databaseUids.includes(database.uid)).map(({ name }) => name);
  return { uid, username, databases: names, user_type, created_at, ...(withPassword && { password }) };
}

function newPassword({ state }: SandboxWorld): string {
  return nextMadeUp(state, 'password', 24);
}
