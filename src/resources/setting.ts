import { flag, instant, opaque, optional, secret, text } from '../contract/field.ts';
import { type Operation, operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { one, page } from '../contract/reply.ts';
import { type ResourceType, resource } from '../contract/resource.ts';
import { queuedActionReply } from './action.ts';
import { isSecretVariable } from './env.ts';
import { server } from './server.ts';

export function isSecretSetting({ key, value }: Partial<Record<'key' | 'value', unknown>>): boolean {
  return isSecretVariable({ key, value, is_password: false });
}

const commonFields = {
  key: text('Key, such as git.branch.', { needed: true }),
  value: secret(opaque('Value: text, number, yes or no, or nothing.')),
  readonly: optional(flag('Whether it is read-only.', { label: 'read-only' })),
};
const timeFields = {
  created_at: optional(instant('Creation time.')),
  updated_at: optional(instant('Time of the last change.')),
};

export const StackSetting = record(
  'setting',
  { ...commonFields, id: optional(opaque('ID of the setting: a number, or its key with dashes.')), ...timeFields },
  ['key', 'value', 'readonly', 'updated_at'],
  { isSecret: isSecretSetting },
);

/** Record of a server setting. The documented lists have either `warning_text`, or `id` and timestamps. */
export const ServerSetting = record(
  'server setting',
  {
    ...commonFields,
    key: text('Key, such as server.name.', { needed: true }),
    warning_text: optional(text('Warning about changes.', { label: 'warning' })),
    id: optional(opaque('ID of the setting.')),
    ...timeFields,
  },
  ['key', 'value', 'readonly', 'warning_text', 'updated_at'],
  { isSecret: isSecretSetting },
);
export type SettingRow = RecordOf<typeof ServerSetting>;

const serverParams = { server_id: text('UID of the server.', { label: 'server' }) };
const idParams = { id: text('ID of the setting, or its key with dashes for dots.') };
const valueParams = { ...idParams, value: text('New value.', { sensitive: true }) };
const stackNotFoundHints = { listCommand: 'stack settings list', missing: 'setting {id}' };
const serverNotFoundHints = {
  listCommand: 'server settings list {server_id}',
  missing: 'setting {id} of server {server_id}',
};
const updateSpec = {
  scope: 'admin',
  reply: queuedActionReply,
  undocumented: 'The ID in the path is the one in the list, or the key with dashes for dots.',
} as const;

export const stackSettings = {
  list: operation('GET /stacks/:stack_id/settings', { scope: 'admin', reply: page(StackSetting) }),
  get: operation('GET /stacks/:stack_id/settings/:id', {
    about: 'Show one setting of a stack.',
    params: idParams,
    reply: one(StackSetting),
    ...stackNotFoundHints,
  }),
  update: operation('PUT /stacks/:stack_id/settings/:id', {
    about: 'Change a setting of a stack.',
    params: valueParams,
    ...updateSpec,
    ...stackNotFoundHints,
  }),
};

export const serverSettings = {
  list: operation('GET /stacks/:stack_id/servers/:server_id/settings', {
    about: 'List the settings of a server.',
    params: serverParams,
    reply: page(ServerSetting),
    undocumented: 'Which of the two documented list shapes is sent; both are read.',
    listCommand: 'server list',
    missing: 'server {server_id}',
  }),
  get: operation('GET /stacks/:stack_id/servers/:server_id/settings/:id', {
    about: 'Show one setting of a server.',
    params: { ...serverParams, ...idParams },
    reply: one(ServerSetting),
    ...serverNotFoundHints,
  }),
  update: operation('PUT /stacks/:stack_id/servers/:server_id/settings/:id', {
    about: 'Change a setting of a server.',
    params: { ...serverParams, ...valueParams },
    ...updateSpec,
    ...serverNotFoundHints,
  }),
};

const commonDescriptor = { name: 'setting', about: 'Key of the setting.', label: 'KEY' };

export const stackSetting = resource({
  ...commonDescriptor,
  list: stackSettings.list,
  listed: 'stack settings list',
  nameKind: 'stack setting',
});

export const serverSetting = resource({
  ...commonDescriptor,
  list: serverSettings.list,
  listed: 'server settings list',
  in: server,
  nameKind: 'server setting',
});

/** Returns the operations of a type of settings: those of stacks or of servers. */
export function operationsOf({ in: parent }: ResourceType): Readonly<Record<'get' | 'update', Operation>> {
  return parent ? serverSettings : stackSettings;
}

/** Returns the ID of a setting for a request path: its `id`, or else its key with dashes, such as `git-branch`. */
export function settingId({ key, id }: Pick<SettingRow, 'key' | 'id'>): string {
  const listedId = ['number', 'bigint', 'string'].includes(typeof id) ? String(id) : '';
  return listedId === '' ? key.replaceAll('.', '-') : listedId;
}
