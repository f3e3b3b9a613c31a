import type { RecordOf } from '../../contract/record.ts';
import type { DatabaseUser } from '../../resources/database-user.ts';
import { queueShapeB } from '../effects/queue.ts';
import { refuse } from '../refusal.ts';
import type { HeldDatabaseUser, HeldGroup } from '../state.ts';
import { databaseGroupOf, type SandboxWorld, stackOf, type WorldPlace } from '../world.ts';
import type { HandlersOf } from './handler.ts';

const userTypes = ['application', 'readonly'];

export const databaseUserHandlers: HandlersOf<'databaseUsers'> = {
  list: (world, { show_password = false, ...place }) => {
    const group = databaseGroupOf(world, place);
    if (show_password && !world.caller.scopes.includes('admin')) refuse(403, 'show_password needs edit permission');
    return group.users.map((user) => show(group, user, show_password));
  },
  create: (world, { username, user_type = 'application', database_ids = [], ...place }) => {
    const group = databaseGroupOf(world, place);
    checkUser(group, username, user_type);
    const unknown = database_ids.find((uid) => !group.databases.some((database) => database.uid === uid));
    if (unknown !== undefined) refuse(404, `database "${unknown}" not found`);
    const effect = { kind: 'database_user_create', username, userType: user_type, databaseUids: database_ids } as const;
    return queueShapeB(world, stackOf(world, place.stack_id), { ...effect, group: group.row.id });
  },
  regeneratePassword: (world, { id, ...place }) =>
    queueFor(world, place, { kind: 'database_user_password_change', id }),
  delete: (world, { id, ...place }) => queueFor(world, place, { kind: 'database_user_delete', id }),
};

function show({ databases }: HeldGroup, user: HeldDatabaseUser, withPassword: boolean): RecordOf<typeof DatabaseUser> {
  const { uid, username, user_type, created_at, password, databaseUids } = user;
  const names = databases.filter((database) => databaseUids.includes(database.uid)).map(({ name }) => name);
  return { uid, username, databases: names, user_type, created_at, ...(withPassword && { password }) };
}

function checkUser({ users }: HeldGroup, username: string, userType: string): void {
  if (!userTypes.includes(userType)) {
    refuse(400, `invalid user type: "${userType}" must be one of ${userTypes.join(', ')}`);
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,31}$/.test(username)) {
    refuse(400, `invalid username: "${username}" must be 1 to 32 letters, digits or underscores, no digit first`);
  }
  if (users.some((user) => user.username === username)) refuse(400, `invalid username: "${username}" already exists`);
}

interface ActionRequest {
  readonly kind: 'database_user_password_change' | 'database_user_delete';
  readonly id: string;
}

function queueFor(world: SandboxWorld, place: WorldPlace, { kind, id }: ActionRequest) {
  const group = databaseGroupOf(world, place);
  if (!group.users.some(({ uid }) => uid === id)) refuse(404, `database user "${id}" not found`);
  return queueShapeB(world, stackOf(world, place.stack_id), { kind, group: group.row.id, uid: id });
}
