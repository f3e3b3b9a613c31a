import { flag, instant, opaque, optional, text } from '../contract/field.ts';
import { noun } from '../contract/noun.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { one, page } from '../contract/reply.ts';
import { queuedAction } from './action.ts';
import { server } from './server.ts';
import { inStack } from './shared.ts';

/** Two list shapes are documented, one with `warning_text`, one with `id` and timestamps, but not which one is sent. */
export const ServerSetting = record(
  'server setting',
  {
    key: text('Key, such as server.name.', { needed: true }),
    value: opaque('Value: text, number, yes or no, or nothing.'),
    readonly: optional(flag('Whether it is read-only.', { label: 'read-only' })),
    warning_text: optional(text('Warning about changes.', { label: 'warning' })),
    id: optional(opaque('ID of the setting.')),
    created_at: optional(instant('Creation time.')),
    updated_at: optional(instant('Time of the last change.')),
  },
  ['key', 'value', 'readonly', 'warning_text', 'updated_at'],
);

const theServer = text('UID of the server.', { label: 'server' });
const settingId = text('ID of the setting, or its key with dashes for dots.');
const place = { stack_id: inStack, server_id: theServer };
const known = {
  lister: 'server settings list {server_id} -s {stack_id}',
  missing: 'setting {id} of server {server_id}',
};

export const serverSettings = {
  list: operation('GET /stacks/:stack_id/servers/:server_id/settings', {
    scope: 'public',
    about: 'List the settings of a server.',
    params: place,
    reply: page(ServerSetting),
    undocumented: 'Which of the two documented list shapes is sent; both are read.',
    lister: 'server list -s {stack_id}',
    missing: 'server {server_id}',
  }),
  get: operation('GET /stacks/:stack_id/servers/:server_id/settings/:id', {
    scope: 'public',
    about: 'Show one setting of a server.',
    params: { ...place, id: settingId },
    reply: one(ServerSetting),
    ...known,
  }),
  update: operation('PUT /stacks/:stack_id/servers/:server_id/settings/:id', {
    scope: 'admin',
    about: 'Change a setting of a server.',
    params: { ...place, id: settingId, value: text('New value.', { kept: true }) },
    reply: queuedAction,
    undocumented: 'The ID in the path is the one in the list, or the key with dashes for dots.',
    ...known,
  }),
};

export const serverSetting = noun({
  name: 'setting',
  list: serverSettings.list,
  listed: 'server settings list',
  id: 'key',
  title: 'key',
  in: server,
  argument: 'key',
  about: 'Key of the setting.',
  label: 'KEY',
  names: 'server setting',
});
