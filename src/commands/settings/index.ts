import type { Context, Menu, Target } from '../../contract/command.ts';
import { many, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { one, rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { settingText } from '../../resources/setting-text.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack } from '../../resources/stack.ts';
import { StackSetting, stackSettings } from '../../resources/stack-setting.ts';
import { type Assignment, readPairs } from '../assignment.ts';
import {
  changeSettings,
  planSettings,
  presentChanges,
  presentValue,
  readSetting,
  SettingChange,
  type Shelf,
} from './change.ts';

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
      assigns: [],
    }),
  },
  positionals: ['assignments'],
  examples: [
    'stackops stack settings set git.branch=release -s shop',
    'stackops stack settings set maintenance.mode=true git.branch=main -s shop -y',
  ],
  calls: [stackSettings.list, stackSettings.update],
  reply: rows(SettingChange),
  confirm: {
    level: 'yes',
    act: 'Turn on maintenance mode of',
    when: 'before maintenance.mode=true',
    target: describeMaintenance,
  },
  run: (context, { stack_id, assignments }) =>
    changeSettings(context, shelfOf(context, stack_id), readWanted(assignments)),
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

function readWanted(assignments: readonly string[]): readonly Assignment[] {
  return readPairs(assignments, { kind: 'setting' });
}

interface Words {
  readonly stack_id: string;
  readonly assignments: readonly string[];
}

/** What a question says before visitors see a page of maintenance; undefined where they do not, or do already. */
async function describeMaintenance(context: Context, { stack_id, assignments }: Words): Promise<Target | undefined> {
  const wanted = readWanted(assignments);
  if (!wanted.some(turnsOn)) return undefined;
  const plan = await planSettings(shelfOf(context, stack_id), wanted);
  const step = plan.find(({ before: { key }, value }) => turnsOn({ key, value }));
  if (!step || isTrue(settingText(step.before.value))) return undefined;
  return { name: await describeStack(context, stack_id), facts: [`now ${settingText(step.before.value)}`] };
}

function turnsOn({ key, value }: Assignment): boolean {
  return key === 'maintenance.mode' && isTrue(value);
}

/** In the spellings a service may take for true. */
function isTrue(value: string): boolean {
  return /^(true|t|yes|y|on|1)$/i.test(value.trim());
}
