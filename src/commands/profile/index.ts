import { openTokenStore } from '../../auth/token-store.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { type Fields, flag, many, nullable, optional, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one, rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { configFile, readConfig } from '../../settings/config-file.ts';
import { activateProfile, changeProfile, deleteProfile } from '../../settings/profiles.ts';
import { checkSetting, defaultProfile } from '../../settings/settings.ts';
import { type SettingName, settingNames, settingTable } from '../../settings/table.ts';
import { readSettings } from '../config/setting-words.ts';
import { writeLocally } from '../local-write.ts';
import type { Services } from '../services.ts';

const kept: readonly SettingName[] = settingNames().filter((name) => settingTable[name].stored !== 'nowhere');
const fields: Fields = {
  name: text('Name.'),
  active: flag('Whether commands use it unless told otherwise.'),
  signed_in: flag('Whether a token is stored for it.'),
  ...Object.fromEntries(kept.map((name) => [name, nullable(text(settingTable[name].about))])),
};
const Profile = record('profile', fields, ['name', 'active', 'base_url', 'account', 'stack', 'protected', 'signed_in']);
type ProfileRow = Readonly<Record<string, string | boolean | null>>;
const named = text('Name of the profile.', { label: 'name', names: 'profile' });

/** Named sets of settings. All of it happens in config.json; the service is not asked. */
export function profileMenu(services: Services): Menu {
  return {
    'profile list': script({
      about: 'List the profiles.',
      params: {},
      examples: ['stackops profile list'],
      calls: [],
      reply: rows(Profile),
      run: async (context) => namesOf(context, services).map((name) => rowOf(context, services, name)),
    }),
    'profile use': script({
      about: 'Make a profile the one that commands use.',
      params: { name: named },
      positionals: ['name'],
      examples: ['stackops profile use work'],
      calls: [],
      reply: one(Profile),
      run: async (context, { name }) => {
        const file = configFile(services.folders());
        checkKnown(context, services, name);
        const isDone = await writeLocally(context, `use profile ${name}`, () =>
          activateProfile({ file, warn: context.warn }, name),
        );
        if (isDone) context.note(`Commands now use profile ${name}.`);
        return rowOf(context, services, name);
      },
      tells: true,
      present: () => ({ kind: 'nothing' }),
    }),
    'profile show': script({
      about: 'Show a profile, by default the one in use.',
      params: { name: optional(named) },
      positionals: ['name'],
      examples: ['stackops profile show', 'stackops profile show work --json'],
      calls: [],
      reply: one(Profile),
      run: async (context, input) => {
        if (input.name !== undefined) checkKnown(context, services, input.name);
        return rowOf(context, services, input.name ?? services.settings().profile);
      },
    }),
    'profile set': setCommand(services),
    'profile delete': deleteCommand(services),
  };
}

function setCommand(services: Services) {
  return script({
    about: 'Set values of the profile named by --profile, by default the one in use; a new name makes a profile.',
    params: {
      values: many(text('A value, or nothing to forget it.', { names: 'setting' }), 'Values.', {
        label: 'key=value',
        assigns: [],
        repeats: true,
      }),
    },
    positionals: ['values'],
    examples: [
      'stackops profile set base_url=https://stacks.example.com/api/3',
      'stackops profile set stack=shop protected=true --profile work',
      'stackops profile set stack=',
    ],
    calls: [],
    reply: one(Profile),
    run: async (context, { values }) => {
      const name = services.settings().wantedProfile.value;
      const changes = readSettings(values, kept);
      const file = configFile(services.folders());
      const words = Object.entries(changes).map(([key, value]) =>
        value === undefined ? `${key} forgotten` : `${key}=${value}`,
      );
      const act = `set ${words.join(', ')} in profile ${name}`;
      const isDone = await writeLocally(context, act, () => changeProfile({ file, warn: context.warn }, name, changes));
      if (isDone) context.note(`Profile ${name}: ${words.join(', ')}.`);
      return rowOf(context, services, name);
    },
    tells: true,
    present: () => ({ kind: 'nothing' }),
  });
}

function deleteCommand(services: Services) {
  return script({
    about: 'Delete a profile and forget its token; the default profile is only emptied.',
    params: { name: named },
    positionals: ['name'],
    examples: ['stackops profile delete work'],
    calls: [],
    reply: one(record('deleted profile', { name: text('Name.') }, ['name'])),
    run: async (context, { name }) => {
      checkKnown(context, services, name);
      const isDone = await writeLocally(context, `delete profile ${name}`, async () => {
        await openTokenStore(services.folders, context.warn).forget(name);
        await deleteProfile({ file: configFile(services.folders()), warn: context.warn }, name);
      });
      if (isDone) context.note(`Deleted profile ${name}.`);
      return { name };
    },
    tells: true,
    present: () => ({ kind: 'nothing' }),
  });
}

function namesOf(context: Context, services: Services): readonly string[] {
  const { profiles } = readConfig(configFile(services.folders()), context);
  return [...new Set([defaultProfile, ...profiles.keys()])].sort();
}

function checkKnown(context: Context, services: Services, name: string): void {
  checkSetting('profile', name, 'word');
  const names = namesOf(context, services);
  if (names.includes(name)) return;
  throw new Problem('usage', `unknown profile "${name}"; known: ${names.join(', ')}`, {
    hint: { path: 'profile list' },
  });
}

function rowOf(context: Context, services: Services, name: string): ProfileRow {
  const { activeProfile = defaultProfile, profiles } = readConfig(configFile(services.folders()), context);
  const values = profiles.get(name);
  return {
    name,
    active: name === activeProfile,
    signed_in: openTokenStore(services.folders, context.warn).read(name) !== undefined,
    ...Object.fromEntries(kept.map((key) => [key, values?.get(key) ?? null])),
  };
}
