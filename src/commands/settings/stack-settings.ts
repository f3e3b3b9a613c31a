import { call } from '../../builders/call.ts';
import type { Context, Menu } from '../../contract/command.ts';
import type { Input } from '../../contract/field.ts';
import type { Question } from '../../contract/plan.ts';
import { sentText } from '../../resources/env.ts';
import { stackSetting, stackSettings } from '../../resources/setting.ts';
import { describeStack } from '../../resources/stack.ts';
import { type Assigned, getSetting, setSettings } from './set.ts';

export const stackSettingCommands: Menu = {
  'stack settings list': call(stackSettings.list, { examples: ['stackops stack settings list -s shop'] }),
  'stack settings get': getSetting(stackSetting, stackSettings.get, {
    about: 'Print the value of a stack setting.',
    examples: ['stackops stack settings get git.branch -s shop'],
  }),
  'stack settings set': setSettings(stackSetting, stackSettings.update, {
    about: 'Change stack settings; unchanged ones are skipped.',
    examples: [
      'stackops stack settings set git.branch=release -s shop',
      'stackops stack settings set maintenance.mode=true git.branch=main -s shop -y',
    ],
    severalStacks: 'in turn',
    confirm: { level: 'yes', act: 'Turn on maintenance mode for', when: 'before maintenance.mode=true' },
    ask: askMaintenance,
  }),
};

function askMaintenance(context: Context, place: Input, changed: readonly Assigned[]): Question | undefined {
  // Visitors then see a maintenance page.
  const mode = changed.find(({ before: { key }, value }) => key === 'maintenance.mode' && isTrue(value))?.before;
  if (!mode || isTrue(sentText(mode.value))) return undefined;
  return {
    name: () => describeStack(context, String(place['stack_id'])),
    details: () => [`now ${sentText(mode.value)}`],
  };
}

function isTrue(value: string): boolean {
  // All spellings that a service may accept.
  return /^(true|t|yes|y|on|1)$/i.test(value.trim());
}
