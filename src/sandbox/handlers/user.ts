import { flag, group, many, opaque, optional, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { accessProfileFields, accountRights, type User } from '../../resources/user.ts';
import { type HandlersOf, refuse, type SandboxContext, stackOf } from '../context.ts';
import { checkFields } from '../request/check.ts';
import { isoStamp, plainStamp } from '../seed/made-up.ts';
import type { DeviceRecord, UserState } from '../state.ts';

export const userHandlers: HandlersOf<'users'> = {
  list: ({ state }) =>
    state.users.map(({ row: { gitprovider_login: _, last_login: __, cloud_status: ___, ...summary } }) => summary),
  get: (context, { id }) => toUserRecord(userOf(context, id)),
  update: (context, { id, access_profile }) => {
    const user = userOf(context, id);
    Object.assign(user, mergeAccessProfile(context, user, access_profile));
    user.row.updated_at = isoStamp(context.now);
    return toUserRecord(user);
  },
};

function toUserRecord({ row, rights, roles, devices }: UserState): RecordOf<typeof User> {
  return { ...row, access_profile: { account_profile: rights, stack_profiles: roles }, devices };
}

export const deviceHandlers: HandlersOf<'devices'> = {
  create: (context, { id, device_type, sub_type, token }) => {
    const user = userOf(context, id);
    if (token.trim() === '') refuse(400, 'the token of a device cannot be empty');
    if (user.devices.some((device) => device.token === token)) refuse(400, 'a device with this token already exists');
    // Notifications to Android are documented as unavailable, so only an iOS device is enabled.
    const times = { created_at: plainStamp(context.now), created_at_iso: isoStamp(context.now) };
    const device = { device_type, sub_type, token, enabled: device_type === 1, ...times, ...newUpdateTimes(context) };
    user.devices.push(device);
    return device;
  },
  update: (context, { id, device_type, sub_type, token }) => {
    const enabled = device_type === 1;
    Object.assign(deviceOf(userOf(context, id), token), { device_type, sub_type, enabled, ...newUpdateTimes(context) });
  },
  delete: (context, { id, token }) => {
    const user = userOf(context, id);
    const device = deviceOf(user, token);
    user.devices = user.devices.filter((other) => other !== device);
  },
};

function newUpdateTimes({ now }: SandboxContext): Pick<DeviceRecord, 'updated_at' | 'updated_at_iso'> {
  return { updated_at: plainStamp(now), updated_at_iso: isoStamp(now) };
}

function deviceOf({ devices }: UserState, token: string): DeviceRecord {
  // The token is secret, so the message does not contain it.
  return devices.find((device) => device.token === token) ?? refuse(404, 'no device has this token');
}

const rightFields = {
  ...Object.fromEntries(accountRights.map((name) => [name, optional(flag('A right.'))])),
  default_roles: optional(many(text('Role.'), 'Roles in new stacks.')),
};
const profileFields = {
  account_profile: optional(group(rightFields, 'Rights.')),
  stack_profiles: optional(accessProfileFields.stack_profiles),
  override: optional(flag('Whether the roles replace the earlier ones.')),
  acls_profile: optional(opaque('Further rights; the sandbox ignores them.')),
};
const userFields = { access_profile: group(profileFields, 'Access profile.') };

type Profile = Pick<UserState, 'rights' | 'roles'>;

function mergeAccessProfile(context: SandboxContext, { rights, roles }: Profile, sentProfile: unknown): Profile {
  const { access_profile } = checkFields(userFields, { access_profile: sentProfile }, context);
  const { account_profile, stack_profiles, override = false } = access_profile;
  for (const { stack_uid, role } of stack_profiles ?? []) {
    stackOf(context, stack_uid);
    if (role.trim() === '') refuse(400, `the role in stack "${stack_uid}" must not be empty`);
  }
  const keptRoles = override && stack_profiles ? [] : roles;
  const roleByStackUid = new Map([...keptRoles, ...(stack_profiles ?? [])].map((role) => [role.stack_uid, role]));
  return { rights: { ...rights, ...account_profile }, roles: [...roleByStackUid.values()] };
}

function userOf({ state }: SandboxContext, id: number): UserState {
  return state.users.find(({ row }) => row.id === id) ?? refuse(404, `user ${id} not found`);
}
