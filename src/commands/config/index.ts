import { localCommand, writeLocally } from '../../builders/custom-command.ts';
import type { Context, Menu, Presentation } from '../../contract/command.ts';
import { flag, many, nullable, optional, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { changePreferences, configFilePath, type ProfileChanges } from '../../settings/config-file.ts';
import { originText, settingNames, settingTable } from '../../settings/table.ts';
import { checkSettingName, declareSettingWords, locateConfig, readSettingWords } from './setting-words.ts';

const fields = { name: text('Name.'), value: nullable(text('Value.')), origin: text('Source of the value.') };
const SettingRecord = record('setting', fields, ['name', 'value'], { plural: 'settings' });
const SettingWithOrigin = record('setting', fields, ['name', 'value', 'origin'], { plural: 'settings' });
const preferenceNames = settingNames().filter((name) => settingTable[name].stored === 'anywhere');

async function writePreferences(context: Context, act: string, changes: ProfileChanges) {
  const list = Object.entries(changes);
  if (await writeLocally(context, act, () => changePreferences(locateConfig(context), changes))) {
    for (const [name, value] of list)
      context.note(value === undefined ? `Removed setting ${name}.` : `Set ${name}=${value}.`);
  }
  return list.map(([name, value]) => ({ name, value: value ?? null, origin: 'preferences' }));
}

export const configCommands: Menu = {
  'config list': localCommand({
    about: 'List every setting and its value.',
    params: { origin: optional(flag('Show where each value came from.')) },
    examples: ['stackops config list --origin'],
    reply: rows(SettingRecord),
    run: async ({ host: { settings } }) =>
      settingNames().map((name) => {
        const { value = null, origin } = settings.get(name);
        return { name, value, origin: originText(origin) };
      }),
    present: (rows, { origin }) => ({ kind: 'table', record: origin ? SettingWithOrigin : SettingRecord, rows }),
  }),
  'config get': localCommand({
    about: 'Print the value of one setting.',
    params: { name: text('Name of the setting.', { nameKind: 'setting' }) },
    examples: ['stackops config get timeout'],
    exits: [[3, 'not set']],
    run: async (context, input) => {
      const name = checkSettingName(input.name, settingNames(), 'get');
      const { value } = context.host.settings.get(name);
      if (value !== undefined) return value;
      throw new CliError('not_found', `${name} is not set`, { hint: { path: 'config list', flags: ['--origin'] } });
    },
    present: (value): Presentation => ({ kind: 'value', text: value }),
  }),
  'config set': localCommand({
    restriction: 'settings',
    about: 'Set preferences of all profiles; a profile overrides them.',
    params: { values: declareSettingWords('preference') },
    examples: ['stackops config set output=json timeout=60s'],
    output: { kind: 'change', reply: rows(SettingRecord) },
    run: (context, { values }) =>
      writePreferences(context, `set ${values.join(', ')}`, readSettingWords(values, preferenceNames)),
  }),
  'config unset': localCommand({
    restriction: 'settings',
    about: 'Remove preferences.',
    params: { names: many(text('Name of the preference.', { nameKind: 'preference' }), 'Names.', { label: 'key' }) },
    examples: ['stackops config unset output'],
    output: { kind: 'change', reply: rows(SettingRecord) },
    run: async (context, { names }) => {
      const changes = Object.fromEntries(
        names.map((name) => [checkSettingName(name, preferenceNames, 'unset'), undefined]),
      );
      return writePreferences(context, `remove ${names.join(', ')}`, changes);
    },
  }),
  'config path': localCommand({
    about: 'Print the path of the configuration file.',
    params: {},
    examples: ['stackops config path'],
    run: async ({ host }) => configFilePath(host.folders()),
    present: (path): Presentation => ({ kind: 'value', text: path }),
  }),
};
