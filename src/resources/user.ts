import { flag, group, instant, integer, many, opaque, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { bare, emptyReply, one, page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';

/** Names of the account rights, as in service.md, User. */
export const accountRights: readonly string[] = [
  'can_create_stack',
  'can_admin_users',
  'can_payment',
  'can_add_cloud_key',
  'can_del_cloud_key',
  'can_view_acc_notifications',
  'can_edit_acc_notifications',
  'can_view_audit',
  'can_view_docker_img_key',
  'can_del_ssh_key',
  'can_edit_personal_token',
  'can_del_authorized_app',
  'can_view_custom_env',
  'can_edit_custom_env',
  'can_add_developers_app',
  'can_del_developers_app',
  'can_edit_git_key',
  'can_edit_gateway',
];
/** Names of the usual roles in a stack. An account may define more. */
export const stackRoles = ['Viewer', 'Deployer', 'Developer', 'Operation', 'Power user', 'Administrator'];

export const deviceTypes = ['ios', 'android'] as const;
export const deviceModels = ['iphone', 'ipad', 'ipod'] as const;

/** Record of a device. Its times are `YYYY-MM-DD HH:MM:SS UTC`, but those ending in `_iso` are ISO 8601. */
export const Device = record(
  'device',
  {
    device_type: integer('Type of device.', { meanings: ['-', ...deviceTypes], label: 'type' }),
    sub_type: integer('Model.', { meanings: ['-', ...deviceModels], label: 'model' }),
    enabled: flag('Whether it receives notifications.'),
    token: secret(text('Token of the device.')),
    created_at: instant('Registration time.', { aliases: ['created_at_iso'] }),
    updated_at: instant('Time of the last change.', { aliases: ['updated_at_iso'] }),
    created_at_iso: instant('Registration time.'),
    updated_at_iso: instant('Time of the last change.'),
  },
  ['device_type', 'sub_type', 'enabled', 'created_at'],
);

const userFields = {
  id: integer('ID of the user.'),
  email: text('E-mail address.'),
  primary_account_id: integer('ID of the primary account.', { heading: 'account' }),
  locked: flag('Whether the user is locked out.'),
  uses_tfa: flag('Whether two-factor sign-in is on.', { label: 'two-factor' }),
  timezone: text('Time zone.'),
  has_valid_phone: flag('Whether the phone number is valid.'),
  developer_program: flag('Whether the user is in the developer program.'),
  created_at: instant('Creation time.'),
  updated_at: instant('Time of the last change.'),
};

const UserSummary = record('user', userFields, ['email', 'primary_account_id', 'locked', 'uses_tfa', 'timezone', 'id']);

export const accessProfileFields = {
  account_profile: opaque('Account rights by name, and `default_roles`.'),
  stack_profiles: many(
    group(
      { stack_uid: text('UID of the stack.'), role: text('Role.', { choices: stackRoles, open: true }) },
      'Role in one stack.',
    ),
    'Roles by stack.',
  ),
};

export const User = record(
  'user',
  {
    ...userFields,
    access_profile: group(accessProfileFields, 'Account rights and stack roles.'),
    gitprovider_login: flag('Whether the user signs in through a git provider.', {
      aliases: ['github_login'],
      label: 'Git provider sign-in',
    }),
    last_login: instant('Last sign-in.'),
    devices: many(group(Device.fields, 'One device.'), 'Devices for notifications.'),
    cloud_status: text('Cloud status.'),
  },
  ['email', 'locked', 'uses_tfa', 'last_login', 'id'],
);

const userIdParam = integer('ID of the user.', { label: 'user' });
const notFoundHints = { listCommand: 'user list', missing: 'user {id}' };

export const users = {
  list: operation('GET /users', { scope: 'admin', reply: page(UserSummary) }),
  get: operation('GET /users/:id', { scope: 'users', params: { id: userIdParam }, reply: one(User), ...notFoundHints }),
  // The reply of this operation is the only one without a wrapper (service.md, Conventions 1).
  update: operation('PUT /users/:id', {
    scope: 'admin',
    about: 'Change the access profile of a user.',
    params: { id: userIdParam, access_profile: opaque('Changes to the access profile.') },
    reply: bare(User, ['access_profile', 'email']),
    check: 'user get {id}',
    undocumented: 'Only changes are sent, in `access_profile`; the service merges them.',
    ...notFoundHints,
  }),
};

export const user = resource({
  list: users.list,
  title: 'email',
  about: 'ID or e-mail address of the user.',
  // An ID is used without reading the list, because few tokens have the scope for the list.
  idPattern: /^[1-9][0-9]{0,14}$/,
});

const deviceParams = {
  id: userIdParam,
  device_type: integer('Type of device: 1 iOS, 2 Android.', { range: [1, 2] }),
  sub_type: integer('Model: 1 iPhone, 2 iPad, 3 iPod.', { range: [1, 3] }),
  token: secret(text('Token of the device.')),
};
const deviceNotFoundHints = { listCommand: 'user get {id}', missing: 'device of user {id}' };

export const devices = {
  create: operation('POST /users/:id/devices', {
    scope: 'users',
    about: 'Register a device for notifications.',
    params: deviceParams,
    reply: one(Device, ['token', 'device_type']),
    check: 'user get {id}',
    undocumented: 'Parameters are sent in a JSON body.',
    ...notFoundHints,
  }),
  update: operation('PUT /users/:id/devices', {
    scope: 'users',
    about: 'Change the type or model of a device.',
    params: deviceParams,
    reply: emptyReply,
    undocumented: 'Parameters are sent in a JSON body.',
    ...deviceNotFoundHints,
  }),
  delete: operation('DELETE /users/:id/devices/:token', {
    scope: 'users',
    about: 'Delete a device.',
    params: { id: userIdParam, token: secret(text('Token of the device.')) },
    reply: emptyReply,
    ...deviceNotFoundHints,
  }),
};
