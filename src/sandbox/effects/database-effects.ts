import { nextMadeUp, stamp } from '../seed/made-up.ts';
import type { DatabaseEffect, HeldGroup, HeldStack, State } from '../state.ts';
import { done, type Ending, failed } from './ending.ts';

interface Moment {
  readonly state: State;
  readonly group: HeldGroup;
  readonly endMs: number;
}
type EffectOf<Kind extends DatabaseEffect['kind']> = Extract<DatabaseEffect, { readonly kind: Kind }>;

/** Changes the databases or database users of a server group. */
export function applyDatabaseEffect(
  state: State,
  stack: HeldStack,
  { effect, endMs }: { readonly effect: DatabaseEffect; readonly endMs: number },
): Ending {
  const group = stack.groups.find(({ row }) => row.id === effect.group);
  if (!group) return failed(`server group ${effect.group} no longer exists`);
  const moment = { state, group, endMs };
  switch (effect.kind) {
    case 'database_create':
      return createDatabase(moment, effect);
    case 'database_delete':
      return deleteDatabase(moment, effect.uid);
    case 'database_user_create':
      return createUser(moment, effect);
    case 'database_user_password_change':
      return changePassword(moment, effect.uid);
    case 'database_user_delete':
      return deleteUser(moment, effect.uid);
  }
}

function newPassword(state: State): string {
  return nextMadeUp(state, 'password', 24);
}

function createDatabase({ state, group, endMs }: Moment, { name, userUids }: EffectOf<'database_create'>): Ending {
  if (group.databases.some((database) => database.name === name)) return failed(`database "${name}" already exists`);
  const uid = `db${nextMadeUp(state, 'database', 6)}`;
  const created_at = stamp(endMs);
  group.databases.push({ uid, name, size_bytes: 8_192, charset: 'UTF8', collation: 'en_US.UTF-8', created_at });
  for (const user of group.users) {
    if (userUids.includes(user.uid)) user.databaseUids.push(uid);
  }
  return { success: true, message: `Database ${name} created.`, resourceId: uid };
}

function deleteDatabase({ group }: Moment, uid: string): Ending {
  const found = group.databases.find((database) => database.uid === uid);
  if (!found) return failed(`database "${uid}" no longer exists`);
  group.databases = group.databases.filter((database) => database !== found);
  for (const user of group.users) user.databaseUids = user.databaseUids.filter((other) => other !== uid);
  return done(`Database ${found.name} deleted.`);
}

function createUser(
  { state, group, endMs }: Moment,
  { username, userType, databaseUids }: EffectOf<'database_user_create'>,
): Ending {
  if (group.users.some((user) => user.username === username)) return failed(`user "${username}" already exists`);
  const uid = `du${nextMadeUp(state, 'database user', 6)}`;
  group.users.push({
    uid,
    username,
    user_type: userType,
    password: newPassword(state),
    created_at: stamp(endMs),
    databaseUids: group.databases.map((database) => database.uid).filter((other) => databaseUids.includes(other)),
  });
  return { success: true, message: `Database user ${username} created.`, resourceId: uid };
}

function changePassword({ state, group }: Moment, uid: string): Ending {
  const user = group.users.find((other) => other.uid === uid);
  if (!user) return failed(`database user "${uid}" no longer exists`);
  user.password = newPassword(state);
  return done(`Password of ${user.username} changed.`);
}

function deleteUser({ group }: Moment, uid: string): Ending {
  const user = group.users.find((other) => other.uid === uid);
  if (!user) return failed(`database user "${uid}" no longer exists`);
  group.users = group.users.filter((other) => other !== user);
  return done(`Database user ${user.username} deleted.`);
}
