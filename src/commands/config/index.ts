import type { Context, Menu, Presentation } from '../../contract/command.ts';
import { flag, many, nullable, optional, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { configFile } from '../../settings/config-file.ts';
import { type Changes, changePreferences } from '../../settings/profiles.ts';
import { type SettingName, settingNames, settingTable } from '../../settings/table.ts';
import { writeLocally } from '../local-write.ts';
import type { Services } from '../services.ts';
import { checkName, readSettings } from './setting-words.ts';

const fields = { name: text('Name.'), value: nullable(text('Value.')), origin: text('Where it came from.') };
const Value = record('setting', fields, ['name', 'value'], { plural: 'settings' });
const ValueWithOrigin = record('setting', fields, ['name', 'value', 'origin'], { plural: 'settings' });
const preferences: readonly SettingName[] = settingNames().filter((name) => settingTable[name].stored === 'anywhere');

/** Settings as they are in force, and the preferences that hold for all profiles. */
export function configMenu(services: Services): Menu {
  return {
    'config list': script({
      about: 'List every setting and its value.',
      params: { origin: optional(flag('Show where each value came from.')) },
      examples: ['stackops config list --origin'],
      calls: [],
      reply: rows(Value),
      run: async () =>
        services
          .settings()
          .all()
          .map(([name, { value, origin }]) => ({ name, value: value ?? null, origin })),
      present: (found, { origin }) => ({ kind: 'table', record: origin ? ValueWithOrigin : Value, rows: found }),
    }),
    'config get': script({
      about: 'Print the value of one setting.',
      params: { name: text('Name of the setting.', { names: 'setting' }) },
      positionals: ['name'],
      examples: ['stackops config get timeout'],
      calls: [],
      exits: [[3, 'not set']],
      run: async (_context, input) => {
        const name = checkName(input.name, settingNames());
        const { value } = services.settings().get(name);
        if (value !== undefined) return value;
        throw new Problem('not_found', `${name} is not set`, { hint: { path: 'config list', flags: ['--origin'] } });
      },
      present: (value): Presentation => ({ kind: 'value', text: value }),
    }),
    'config set': setCommand(services),
    'config unset': unsetCommand(services),
    'config path': script({
      about: 'Print the path of the configuration file.',
      params: {},
      examples: ['stackops config path'],
      calls: [],
      run: async () => configFile(services.folders()),
      present: (path): Presentation => ({ kind: 'value', text: path }),
    }),
  };
}

function setCommand(services: Services) {
  return script({
    about: 'Set preferences, which hold for all profiles that do not say otherwise.',
    params: {
      values: many(text('A value.', { names: 'preference' }), 'Values.', {
        label: 'key=value',
        assigns: [],
        repeats: true,
      }),
    },
    positionals: ['values'],
    examples: ['stackops config set output=json timeout=60s'],
    calls: [],
    reply: rows(Value),
    tells: true,
    run: async (context, { values }) => {
      const changes = readSettings(values, preferences);
      const file = configFile(services.folders());
      const isDone = await writeLocally(context, `set ${values.join(', ')}`, () =>
        changePreferences({ file, warn: context.warn }, changes),
      );
      if (isDone) noteChanges(context, changes);
      return rowsOf(changes);
    },
    present: () => ({ kind: 'nothing' }),
  });
}

function unsetCommand(services: Services) {
  return script({
    about: 'Forget preferences.',
    params: { names: many(text('Name of the preference.', { names: 'preference' }), 'Names.', { label: 'key' }) },
    positionals: ['names'],
    examples: ['stackops config unset output'],
    calls: [],
    reply: rows(Value),
    tells: true,
    run: async (context, { names }) => {
      const changes = Object.fromEntries(names.map((name) => [checkName(name, preferences), undefined]));
      const file = configFile(services.folders());
      const isDone = await writeLocally(context, `forget ${names.join(', ')}`, () =>
        changePreferences({ file, warn: context.warn }, changes),
      );
      if (isDone) noteChanges(context, changes);
      return rowsOf(changes);
    },
    present: () => ({ kind: 'nothing' }),
  });
}

type Changed = { readonly name: string; readonly value: string | null; readonly origin: string };

function rowsOf(changes: Changes): readonly Changed[] {
  return Object.entries(changes).map(([name, value]) => ({ name, value: value ?? null, origin: 'preferences' }));
}

function noteChanges(context: Context, changes: Changes): void {
  for (const [name, value] of Object.entries(changes)) {
    context.note(value === undefined ? `Forgot ${name}.` : `Set ${name}=${value}.`);
  }
}
