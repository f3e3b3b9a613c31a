import { flag, instant, opaque, optional, text } from '../contract/field.ts';
import { noun } from '../contract/noun.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { one, page } from '../contract/reply.ts';
import { queuedAction } from './action.ts';
import { inStack } from './shared.ts';

export const StackSetting = record(
  'setting',
  {
    key: text('Key, such as git.branch.', { needed: true }),
    value: opaque('Value: text, number, yes or no, or nothing.'),
    readonly: optional(flag('Whether it is read-only.', { label: 'read-only' })),
    id: optional(opaque('ID of the setting: a number, or its key with dashes.')),
    created_at: optional(instant('Creation time.')),
    updated_at: optional(instant('Time of the last change.')),
  },
  ['key', 'value', 'readonly', 'updated_at'],
);

const settingId = text('ID of the setting, or its key with dashes for dots.');
const known = { lister: 'stack settings list -s {stack_id}', missing: 'setting {id}' };

export const stackSettings = {
  list: operation('GET /stacks/:stack_id/settings', {
    scope: 'admin',
    about: 'List the settings of a stack.',
    params: { stack_id: inStack },
    reply: page(StackSetting),
  }),
  get: operation('GET /stacks/:stack_id/settings/:id', {
    scope: 'public',
    about: 'Show one setting of a stack.',
    params: { stack_id: inStack, id: settingId },
    reply: one(StackSetting),
    ...known,
  }),
  update: operation('PUT /stacks/:stack_id/settings/:id', {
    scope: 'admin',
    about: 'Change a setting of a stack.',
    params: { stack_id: inStack, id: settingId, value: text('New value.', { kept: true }) },
    reply: queuedAction,
    undocumented: 'The ID in the path is the one in the list, or the key with dashes for dots.',
    ...known,
  }),
};

export const stackSetting = noun({
  name: 'setting',
  list: stackSettings.list,
  listed: 'stack settings list',
  id: 'key',
  title: 'key',
  argument: 'key',
  about: 'Key of the setting.',
  label: 'KEY',
  names: 'stack setting',
});
