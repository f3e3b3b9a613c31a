import { call } from '../../builders/call.ts';
import { customCommand } from '../../builders/custom-command.ts';
import { findAmong, findParentInput, readAll } from '../../builders/resource/find.ts';
import { parentCommandSpec } from '../../builders/resource/row.ts';
import type { Command, Context, Menu } from '../../contract/command.ts';
import type { Fields, Input } from '../../contract/field.ts';
import type { Question } from '../../contract/plan.ts';
import type { ResourceType } from '../../contract/resource.ts';
import { CliError } from '../../errors/cli-error.ts';
import { valueAsText } from '../../resources/env.ts';
import { servers } from '../../resources/server.ts';
import {
  operationsOf,
  serverSetting,
  serverSettings,
  settingId,
  stackSetting,
  stackSettings,
} from '../../resources/setting.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { type Assignment, createSetCommand } from './set.ts';

export const stackSettingCommands: Menu = {
  'stack settings list': call(stackSettings.list, { examples: ['stackops stack settings list -s shop'] }),
  'stack settings get': createGetCommand(stackSetting, {
    about: 'Print the value of a stack setting.',
    examples: ['stackops stack settings get git.branch -s shop'],
  }),
  'stack settings set': createSetCommand(stackSetting, {
    about: 'Change stack settings; unchanged ones are skipped.',
    examples: [
      'stackops stack settings set git.branch=release -s shop',
      'stackops stack settings set maintenance.mode=true git.branch=main -s shop -y',
    ],
    severalStacks: 'in turn',
    confirm: { level: 'yes', act: 'Turn on maintenance mode for', when: 'before maintenance.mode=true' },
    ask: maintenanceQuestion,
  }),
};

export const serverSettingCommands: Menu = {
  'server settings list': customCommand({
    about: serverSettings.list.about,
    ...parentCommandSpec(serverSetting),
    examples: ['stackops server settings list shop-web-1 -s shop'],
    calls: [servers.list, serverSettings.list],
    reply: serverSettings.list.reply,
    run: async (context, input) =>
      context.call(serverSettings.list, await findParentInput(context, serverSetting, input), { limit: context.limit }),
  }),
  'server settings get': createGetCommand(serverSetting, {
    about: 'Print the value of a server setting.',
    examples: ['stackops server settings get shop-web-1 server.name -s shop'],
  }),
  'server settings set': createSetCommand(serverSetting, {
    about: 'Change server settings; unchanged ones are skipped.',
    examples: ['stackops server settings set shop-web-1 disk.space.alert.threshold=85 -s shop'],
  }),
};

function createGetCommand(resource: ResourceType, spec: Pick<Command, 'about' | 'examples'>): Command {
  const { get } = operationsOf(resource);
  const { params, positionals, calls } = parentCommandSpec(resource);
  return customCommand({
    ...spec,
    params: { ...params, key: resource.argumentField } as Fields,
    positionals: [...positionals, 'key'],
    calls: [...calls, resource.list, get],
    output: { kind: 'value', reply: get.reply },
    revealed: ['value'],
    run: async (context, input) => {
      const parent = await findParentInput(context, resource, input);
      const key = String(input['key']);
      try {
        return findAmong(resource, await readAll(context, resource, parent), key, input);
      } catch (error) {
        if (!(error instanceof CliError) || error.details.status !== 403) throw error;
        // A token without access to the list may still read a single setting, so only this setting is requested.
        return context.call(get, { ...parent, id: settingId({ key }) });
      }
    },
    // Text is printed unchanged, anything else as JSON.
    present: ({ value }) => ({ kind: 'value', text: valueAsText(value) }),
  });
}

function maintenanceQuestion(context: Context, parent: Input, changed: readonly Assignment[]): Question | undefined {
  // Turning on maintenance mode is asked about, because visitors then see a maintenance page.
  const modeSetting = changed.find(({ before: { key }, value }) => key === 'maintenance.mode' && isTrue(value))?.before;
  if (!modeSetting || isTrue(valueAsText(modeSetting.value))) return undefined;
  return {
    name: () => readStackTitle(context, String(parent['stack_id'])),
    details: () => [`now ${valueAsText(modeSetting.value)}`],
  };
}

function isTrue(value: string): boolean {
  // These are all spellings of true that a service may accept.
  return /^(true|t|yes|y|on|1)$/i.test(value.trim());
}
