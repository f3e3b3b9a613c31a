import type { RecordOf } from '../../contract/record.ts';
import type { DatabaseUser } from '../../resources/database-user.ts';
import { queueShapeB } from '../actions.ts';
import { nextMadeUp, stamp } from '../seed/made-up.ts';
import type {
  DatabaseChange,
  DatabaseEffect,
  HeldDatabase,
  HeldDatabaseUser,
  HeldGroup,
  StoredAction,
} from '../state.ts';
import {
  done,
  type Ending,
  failed,
  type HandlersOf,
  type LaterOf,
  type Moment,
  refuse,
  type SandboxWorld,
  stackOf,
} from '../world.ts';

interface Place {
  readonly stack_id: string;
  readonly server_group_id: string;
}

function groupOf(world: SandboxWorld, place: Place): HeldGroup {
  const id = place.server_group_id;
  const { groups } = stackOf(world, place.stack_id);
  const group = groups.find(({ row }) => String(row.id) === id) ?? refuse(404, `server group "${id}" not found`);
  if (group.row.type !== 'postgresql')
    refuse(400, `server group "${id}" (${group.row.name}) does not support database operations`);
  return group;
}

function queue(world: SandboxWorld, place: Place, change: DatabaseChange): StoredAction {
  const group = groupOf(world, place).row.id;
  return queueShapeB(world, stackOf(world, place.stack_id), { ...change, group });
}

function checkNewName(what: string, name: string, longest: number, taken: readonly string[]): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > longest) {
    refuse(400, `invalid ${what}: "${name}" must be 1 to ${longest} letters, digits or underscores, no digit first`);
  }
  if (taken.includes(name)) refuse(400, `invalid ${what}: "${name}" already exists`);
}

function checkUids(what: string, held: readonly { readonly uid: string }[], given: readonly string[]): void {
  const unknown = given.find((uid) => !held.some((one) => one.uid === uid));
  if (unknown !== undefined) refuse(404, `${what} "${unknown}" not found`);
}

export const databaseHandlers: HandlersOf<'databases'> = {
  list: (world, place) => {
    const { databases, users } = groupOf(world, place);
    const usersOf = ({ uid }: HeldDatabase) => users.filter(({ databaseUids }) => databaseUids.includes(uid));
    return databases.map((database) => ({ ...database, users: usersOf(database).map(({ username }) => username) }));
  },
  create: (world, { database_name: name, database_user_ids: userUids = [], ...place }) => {
    const { databases, users } = groupOf(world, place);
    const taken = databases.map((database) => database.name);
    checkNewName('database name', name, 63, taken);
    checkUids('database user', users, userUids);
    return queue(world, place, { kind: 'database_create', name, userUids });
  },
  delete: (world, { id: uid, ...place }) => {
    checkUids('database', groupOf(world, place).databases, [uid]);
    return queue(world, place, { kind: 'database_delete', uid });
  },
};

const userTypes = ['application', 'readonly'];

export const databaseUserHandlers: HandlersOf<'databaseUsers'> = {
  list: (world, { show_password = false, ...place }) => {
    const group = groupOf(world, place);
    if (show_password && !world.caller.scopes.includes('admin')) refuse(403, 'show_password needs edit permission');
    return group.users.map((user) => show(group, user, show_password));
  },
  create: (world, { username, user_type: userType = 'application', database_ids: databaseUids = [], ...place }) => {
    const { databases, users } = groupOf(world, place);
    if (!userTypes.includes(userType)) {
      refuse(400, `invalid user type: "${userType}" must be one of ${userTypes.join(', ')}`);
    }
    const taken = users.map((user) => user.username);
    checkNewName('username', username, 32, taken);
    checkUids('database', databases, databaseUids);
    return queue(world, place, { kind: 'database_user_create', username, userType, databaseUids });
  },
  regeneratePassword: (world, { id: uid, ...place }) => {
    checkUids('database user', groupOf(world, place).users, [uid]);
    return queue(world, place, { kind: 'database_user_password_change', uid });
  },
  delete: (world, { id: uid, ...place }) => {
    checkUids('database user', groupOf(world, place).users, [uid]);
    return queue(world, place, { kind: 'database_user_delete', uid });
  },
};

function show({ databases }: HeldGroup, user: HeldDatabaseUser, withPassword: boolean): RecordOf<typeof DatabaseUser> {
  const { uid, username, user_type, created_at, password, databaseUids } = user;
  const names = databases.filter((database) => databaseUids.includes(database.uid)).map(({ name }) => name);
  return { uid, username, databases: names, user_type, created_at, ...(withPassword && { password }) };
}

export const databaseLater: LaterOf<DatabaseEffect['kind']> = {
  database_create: {
    end: (moment, { group: id, name, userUids }) =>
      inGroup(moment, id, ({ databases, users }) => {
        if (databases.some((database) => database.name === name)) return failed(`database "${name}" already exists`);
        const uid = `db${nextMadeUp(moment.state, 'database', 6)}`;
        const facts = { size_bytes: 8_192, charset: 'UTF8', collation: 'en_US.UTF-8' };
        databases.push({ uid, name, ...facts, created_at: stamp(moment.atMs) });
        for (const user of users.filter((one) => userUids.includes(one.uid))) user.databaseUids.push(uid);
        return { ...done(`Database ${name} created.`), resourceId: uid };
      }),
  },
  database_delete: {
    end: (moment, { group: id, uid }) =>
      inGroup(moment, id, (group) => {
        const found = group.databases.find((database) => database.uid === uid);
        if (!found) return failed(`database "${uid}" no longer exists`);
        group.databases = group.databases.filter((database) => database !== found);
        for (const user of group.users) user.databaseUids = user.databaseUids.filter((other) => other !== uid);
        return done(`Database ${found.name} deleted.`);
      }),
  },
  database_user_create: {
    end: (moment, { group: id, username, userType, databaseUids }) =>
      inGroup(moment, id, ({ databases, users }) => {
        if (users.some((user) => user.username === username)) return failed(`user "${username}" already exists`);
        const uid = `du${nextMadeUp(moment.state, 'database user', 6)}`;
        const password = newPassword(moment);
        const uids = databases.map((database) => database.uid).filter((other) => databaseUids.includes(other));
        const created_at = stamp(moment.atMs);
        users.push({ uid, username, user_type: userType, password, created_at, databaseUids: uids });
        return { ...done(`Database user ${username} created.`), resourceId: uid };
      }),
  },
  database_user_password_change: {
    end: (moment, { group: id, uid }) =>
      inGroup(moment, id, ({ users }) => {
        const user = users.find((other) => other.uid === uid);
        if (!user) return failed(`database user "${uid}" no longer exists`);
        user.password = newPassword(moment);
        return done(`Password of ${user.username} changed.`);
      }),
  },
  database_user_delete: {
    end: (moment, { group: id, uid }) =>
      inGroup(moment, id, (group) => {
        const user = group.users.find((other) => other.uid === uid);
        if (!user) return failed(`database user "${uid}" no longer exists`);
        group.users = group.users.filter((other) => other !== user);
        return done(`Database user ${user.username} deleted.`);
      }),
  },
};

function inGroup({ owner }: Moment, id: number, change: (group: HeldGroup) => Ending): Ending {
  const group = owner.groups.find(({ row }) => row.id === id);
  return group ? change(group) : failed(`server group ${id} no longer exists`);
}

function newPassword({ state }: Moment): string {
  return nextMadeUp(state, 'password', 24);
}
