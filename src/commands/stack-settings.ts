import { type Context, type Menu, script } from '../contract/command.ts';
import { many, text } from '../contract/field.ts';
import type { RecordOf } from '../contract/record.ts';
import { one, rows } from '../contract/reply.ts';
import { inStack } from '../resources/shared.ts';
import { StackSetting, stackSettings } from '../resources/stack-setting.ts';
import { readPairs } from './assignment.ts';
import {
  changeSettings,
  presentChanges,
  presentValue,
  readSetting,
  SettingChange,
  type Shelf,
} from './setting-change.ts';

const get = script({
  about: 'Print the value of a stack setting.',
  params: { stack_id: inStack, key: text('Key of the setting.', { label: 'KEY', names: 'stack setting' }) },
  positionals: ['key'],
  examples: ['stackops stack settings get git.branch -s shop'],
  calls: [stackSettings.list, stackSettings.get],
  reply: one(StackSetting),
  run: (context, { stack_id, key }) => readSetting(shelfOf(context, stack_id), key),
  bare: true,
  present: (setting) => presentValue(setting),
});

const set = script({
  about: 'Change stack settings; unchanged ones are skipped.',
  params: {
    stack_id: inStack,
    assignments: many(text('Key and value.', { names: 'stack setting' }), 'Keys and values, split at the first `=`.', {
      label: 'KEY=VALUE',
    }),
  },
  positionals: ['assignments'],
  examples: [
    'stackops stack settings set git.branch=release -s shop',
    'stackops stack settings set maintenance.mode=true git.branch=main -s shop',
  ],
  calls: [stackSettings.list, stackSettings.update],
  reply: rows(SettingChange),
  run: (context, { stack_id, assignments }) =>
    changeSettings(context, shelfOf(context, stack_id), readPairs(assignments, { thing: 'setting' })),
  present: (changes, { stack_id }) => presentChanges(changes, { path: 'stack settings set', stack_id }),
});

export const stackSettingStories = {
  'stack settings get': get,
  'stack settings set': set,
} satisfies Menu;

function shelfOf(context: Context, stack_id: string): Shelf<RecordOf<typeof StackSetting>> {
  return {
    list: () => context.call(stackSettings.list, { stack_id }),
    read: (id) => context.call(stackSettings.get, { stack_id, id }),
    write: (id, value) => context.call(stackSettings.update, { stack_id, id, value }),
    warn: context.warn,
    lister: { path: 'stack settings list', stack_id },
  };
}
