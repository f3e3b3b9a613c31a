import type { InputOf } from '../../contract/operation.ts';
import type { databases } from '../../resources/database.ts';
import { queueTypedAction } from '../actions.ts';
import { type ActionResult, type HandlersOf, refuse, type SandboxContext, stackOf } from '../context.ts';
import { isoStamp, nextMadeUpHex } from '../seed/made-up.ts';
import type { DatabaseState, DatabaseUserState, ServerGroupState } from '../state.ts';

type ServerGroupIds = InputOf<typeof databases.list>;

function groupOf(context: SandboxContext, { stack_id, server_group_id: id }: ServerGroupIds): ServerGroupState {
  const { groups } = stackOf(context, stack_id);
  const group = groups.find(({ row }) => String(row.id) === id) ?? refuse(404, `server group "${id}" not found`);
  if (!(group.hasDatabases ?? group.row.type === 'postgresql'))
    refuse(400, `server group "${id}" (${group.row.name}) does not support database operations`);
  return group;
}

/** `uid` is the UID of the database or the user; undefined if it is new. */
type DatabaseAction = { readonly type: string; readonly uid?: string };
type EndAction = () => ActionResult;

function queueDatabaseAction(context: SandboxContext, target: ServerGroupIds, action: DatabaseAction, end: EndAction) {
  const { type, uid = null } = action;
  const resource_type = type.startsWith('database_user') ? 'database_user' : 'database';
  const typedAction = { action_type: type, resource_type, resource_id: uid };
  return queueTypedAction(context, stackOf(context, target.stack_id), typedAction, end);
}

function checkNewName(nameKind: string, name: string, maxLength: number, takenNames: readonly string[]): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > maxLength) {
    const rule = `1 to ${maxLength} letters, digits or underscores, no digit first`;
    refuse(400, `invalid ${nameKind}: "${name}" must be ${rule}`);
  }
  if (takenNames.includes(name)) refuse(400, `invalid ${nameKind}: "${name}" already exists`);
}

function databaseOf({ databases }: ServerGroupState, uid: string): DatabaseState {
  return databases.find((one) => one.uid === uid) ?? refuse(404, `database "${uid}" not found`);
}

function userOf({ users }: ServerGroupState, uid: string): DatabaseUserState {
  return users.find((one) => one.uid === uid) ?? refuse(404, `database user "${uid}" not found`);
}

export const databaseHandlers: HandlersOf<'databases'> = {
  list: (context, target) => {
    const { databases, users } = groupOf(context, target);
    const usersOf = ({ uid }: DatabaseState) => users.filter(({ databaseUids }) => databaseUids.includes(uid));
    return databases.map((database) => ({ ...database, users: usersOf(database).map(({ username }) => username) }));
  },
  create: (context, { database_name: name, database_user_ids: userUids = [], ...target }) => {
    const group = groupOf(context, target);
    const takenNames = group.databases.map((database) => database.name);
    checkNewName('database name', name, 63, takenNames);
    const users = new Set(userUids.map((uid) => userOf(group, uid)));
    return queueDatabaseAction(context, target, { type: 'database_create' }, () => {
      const uid = `db${nextMadeUpHex(context.state, 'database', 6)}`;
      const created_at = isoStamp(context.now);
      group.databases.push({ uid, name, size_bytes: 8_192, charset: 'UTF8', collation: 'en_US.UTF-8', created_at });
      for (const user of users) user.databaseUids.push(uid);
      return { message: `Database ${name} created.`, resource_id: uid };
    });
  },
  delete: (context, { id: uid, ...target }) => {
    const group = groupOf(context, target);
    const database = databaseOf(group, uid);
    return queueDatabaseAction(context, target, { type: 'database_delete', uid }, () => {
      group.databases = group.databases.filter((other) => other !== database);
      for (const user of group.users) user.databaseUids = user.databaseUids.filter((other) => other !== uid);
      return { message: `Database ${database.name} deleted.` };
    });
  },
};

const userTypes = ['application', 'readonly'];

export const databaseUserHandlers: HandlersOf<'databaseUsers'> = {
  list: (context, { show_password = false, ...target }) => {
    const group = groupOf(context, target);
    if (show_password && !context.scopes.includes('admin')) refuse(403, 'show_password needs edit permission');
    return group.users.map((user) => toDatabaseUserRecord(group, user, show_password));
  },
  create: (context, { username, user_type = 'application', database_ids = [], ...target }) => {
    const group = groupOf(context, target);
    if (!userTypes.includes(user_type)) {
      refuse(400, `invalid user type: "${user_type}" must be one of ${userTypes.join(', ')}`);
    }
    const takenNames = group.users.map((user) => user.username);
    checkNewName('username', username, 32, takenNames);
    for (const uid of database_ids) databaseOf(group, uid);
    return queueDatabaseAction(context, target, { type: 'database_user_create' }, () => {
      const uid = `du${nextMadeUpHex(context.state, 'database user', 6)}`;
      const password = newPassword(context);
      const created_at = isoStamp(context.now);
      group.users.push({ uid, username, user_type, password, created_at, databaseUids: [...new Set(database_ids)] });
      return { message: `Database user ${username} created.`, resource_id: uid };
    });
  },
  regeneratePassword: (context, { id: uid, ...target }) => {
    const user = userOf(groupOf(context, target), uid);
    return queueDatabaseAction(context, target, { type: 'database_user_password_change', uid }, () => {
      user.password = newPassword(context);
      return { message: `Password of ${user.username} changed.` };
    });
  },
  delete: (context, { id: uid, ...target }) => {
    const group = groupOf(context, target);
    const user = userOf(group, uid);
    return queueDatabaseAction(context, target, { type: 'database_user_delete', uid }, () => {
      group.users = group.users.filter((other) => other !== user);
      return { message: `Database user ${user.username} deleted.` };
    });
  },
};

function toDatabaseUserRecord({ databases }: ServerGroupState, user: DatabaseUserState, withPassword: boolean) {
  const { uid, username, user_type, created_at, password, databaseUids } = user;
  const databaseNames = databases.filter((database) => databaseUids.includes(database.uid)).map(({ name }) => name);
  return { uid, username, databases: databaseNames, user_type, created_at, ...(withPassword && { password }) };
}

function newPassword({ state }: SandboxContext): string {
  return nextMadeUpHex(state, 'password', 24);
}
