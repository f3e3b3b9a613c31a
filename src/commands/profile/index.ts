import { resolve } from 'node:path';
import { openTokenStore } from '../../auth/token-store.ts';
import { localCommand, writeLocally } from '../../builders/custom-command.ts';
import type { Confirm, Context, Menu } from '../../contract/command.ts';
import { type Field, type Fields, flag, nullable, optional, text } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { record } from '../../contract/record.ts';
import { one, rows } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { splitCommand } from '../../fields/read-value.ts';
import { findProgram } from '../../programs/start.ts';
import {
  activateProfile,
  changeProfile,
  configFilePath,
  deleteProfile,
  type ProfileChanges,
  readConfig,
} from '../../settings/config-file.ts';
import { defaultProfile, normaliseSetting, profileNames } from '../../settings/settings.ts';
import { type SettingName, settingNames, settingTable } from '../../settings/table.ts';
import { declareSettingWords, locateConfig, readSettingWords } from '../config/setting-words.ts';

/** The confirmation before a guard is lifted: the user types the name of the profile. */
const guardConfirm = { level: 'typed', act: 'Lift the guards of profile' } as const satisfies Confirm;

async function confirmLiftedGuards(context: Context, name: string, changes?: ProfileChanges): Promise<void> {
  const liftedNames = findLiftedGuards(profileRow(context, name), changes);
  if (liftedNames.length > 0) await context.confirm({ name, details: () => liftedNames });
}

function findLiftedGuards(stored: ProfileRow, changes?: ProfileChanges): readonly string[] {
  const isChanged = (guard: string) => !changes || (Object.hasOwn(changes, guard) && changes[guard] !== stored[guard]);
  const liftedSwitches = ['protected', 'readonly', 'approve_command'].filter((guard) => {
    return stored[guard] != null && stored[guard] !== 'false' && isChanged(guard);
  });
  const { preset = '' } = settingTable.agents;
  const before = String(stored['agents'] ?? preset);
  const after = changes?.['agents'] ?? preset;
  const isModeWider = changes ? isChanged('agents') && modeRank(after) > modeRank(before) : stored['agents'] != null;
  return [...liftedSwitches, ...(isModeWider ? ['agents'] : [])];
}

function modeRank(mode: string): number {
  return settingTable.agents.choices?.indexOf(mode) ?? 0;
}

const storedNames: readonly SettingName[] = settingNames().filter((name) => settingTable[name].stored !== 'nowhere');
const settableNames = storedNames.filter((name) => settingTable[name].stored !== 'recorded');
const fields: Fields = {
  name: text('Name.'),
  active: flag('Whether it is the active profile.'),
  signed_in: flag('Whether a token is saved for it, or token_command is set.'),
  ...Object.fromEntries(storedNames.map((name) => [name, nullable(text(settingTable[name].about))])),
};
const columns = ['name', 'active', 'base_url', 'account', 'stack_name', 'protected', 'readonly', 'signed_in'];
const Profile = record('profile', fields, columns);
const { stack_name: _, ...shown } = fields;
// Each field is optional, because settings without a value are left out.
const detailFields = Object.fromEntries(Object.entries<Field>(shown).map(([name, field]) => [name, optional(field)]));
const ProfileDetail = record('profile', detailFields, []);
type ProfileRow = Readonly<Record<string, string | boolean | null>>;
const profileNameField = text('Name of the profile.', { label: 'name', nameKind: 'profile' });

const guardsAbout =
  'Values. protected=true makes you type a name before each change, readonly=true refuses them, and approve_command=PROGRAM must approve them. notify=bell, desktop or a program tells when a wait of more than 10s is over.';

function withCommandTrust(changes: ProfileChanges): ProfileChanges {
  if (!Object.hasOwn(changes, 'approve_command')) return changes;
  // The user who sets the command could also run it, so it is trusted.
  return { ...changes, approve_command_trusted: changes['approve_command'] === undefined ? undefined : 'true' };
}

/** Values of `notify` that name no program. */
const notifyKeywords = ['bell', 'desktop', 'off'];

export function findMissingProgram(command: string, { env, platform, folders }: CommandHost): string | undefined {
  // Without PATH the system searches folders that are not known here, so no program counts as missing.
  if (notifyKeywords.includes(command) || env['PATH'] === undefined) return undefined;
  const [program = ''] = splitCommand(command) ?? [];
  // A program runs in the configuration folder, so a relative path begins there.
  const name = program.includes('/') ? resolve(folders().config, program) : program;
  return findProgram(name, env, platform) === undefined ? program : undefined;
}

/** Warns of missing programs. A missing program is no error, because it may be installed later. */
function warnOfMissingPrograms({ warn, host }: Context, changes: ProfileChanges): void {
  for (const setting of ['approve_command', 'token_command', 'notify']) {
    const command = changes[setting];
    const missingProgram = command === undefined ? undefined : findMissingProgram(command, host);
    if (missingProgram !== undefined) warn(`${setting}: program "${missingProgram}" not found on this machine`);
  }
}

function withOrigins(context: Context, changes: ProfileChanges): ProfileChanges {
  const { settings } = context.host;
  const origins = ['token_command', 'gateway_key'].flatMap((name) => {
    if (!Object.hasOwn(changes, name)) return [];
    if (changes[name] === undefined) return [[`${name}_origin`, undefined]];
    const exists = listProfileNames(context).includes(settings.requestedProfile.value);
    const address = changes['base_url'] ?? (exists ? settings.get('base_url').value : undefined);
    if (address !== undefined) return [[`${name}_origin`, new URL(address).origin]];
    const hint = 'set base_url in the same command';
    throw new CliError('usage', `${name} needs the address of its service`, { hint });
  });
  return { ...changes, ...Object.fromEntries(origins) };
}

function listProfileNames(context: Context): readonly string[] {
  return profileNames(readConfig(configFilePath(context.host.folders()), context)).toSorted();
}

function checkProfileExists(context: Context, name: string): void {
  normaliseSetting('profile', name);
  const names = listProfileNames(context);
  if (names.includes(name)) return;
  const hint = { path: 'profile list' };
  throw new CliError('usage', `unknown profile "${name}"; known: ${names.join(', ')}`, { hint });
}

function profileRow(context: Context, name: string): ProfileRow {
  const { activeProfile = defaultProfile, profiles } = readConfig(configFilePath(context.host.folders()), context);
  const values = profiles.get(name);
  return {
    name,
    active: name === activeProfile,
    signed_in:
      values?.has('token_command') || openTokenStore(context.host.folders, context.warn).read(name) !== undefined,
    ...Object.fromEntries(storedNames.map((key) => [key, values?.get(key) ?? null])),
    stack_name: values?.get('stack_name') ?? values?.get('stack') ?? null,
  };
}

/** The commands for profiles, which are named sets of settings in config.json. They send no request. */
export const profileCommands: Menu = {
  'profile list': localCommand({
    about: 'List the profiles.',
    params: {},
    examples: ['stackops profile list'],
    reply: rows(Profile),
    run: async (context) => listProfileNames(context).map((name) => profileRow(context, name)),
  }),
  'profile use': localCommand({
    restriction: 'settings',
    about: 'Make a profile the active one.',
    params: { name: profileNameField },
    examples: ['stackops profile use work'],
    output: { kind: 'change', reply: one(Profile) },
    run: async (context, { name }) => {
      checkProfileExists(context, name);
      const activate = () => activateProfile(locateConfig(context), name);
      if (await writeLocally(context, `use profile ${name}`, activate)) context.note(`Active profile is now ${name}.`);
      return profileRow(context, name);
    },
  }),
  'profile show': localCommand({
    about: 'Show a profile (default: the active one).',
    params: { name: optional(profileNameField) },
    positionals: ['name'],
    examples: ['stackops profile show', 'stackops profile show work --json'],
    reply: one(Profile),
    run: async (context, input) => {
      if (input.name !== undefined) checkProfileExists(context, input.name);
      return profileRow(context, input.name ?? context.host.settings.profile);
    },
    present: ({ stack_name, ...row }) => ({
      kind: 'detail',
      record: ProfileDetail,
      row: Object.fromEntries(Object.entries({ ...row, stack: stack_name }).filter(([, value]) => value !== null)),
    }),
  }),
  'profile set': localCommand({
    restriction: 'settings',
    about: 'Set values of the active profile, or of --profile NAME (created if new).',
    params: { values: declareSettingWords('setting', guardsAbout) },
    examples: [
      'stackops profile set base_url=https://stacks.example.com/api/3',
      'stackops profile set stack=shop protected=true --profile work',
      'stackops profile set stack=',
      "stackops profile set token_command='op read op://ops/stackops/token'",
      'stackops profile set approve_command=ask-in-chat',
      'stackops profile set notify=desktop',
    ],
    output: { kind: 'change', reply: one(Profile) },
    confirm: { ...guardConfirm, when: 'before a guard is lifted' },
    run: async (context, { values }) => {
      const name = context.host.settings.requestedProfile.value;
      const changes = withCommandTrust(withOrigins(context, readSettingWords(values, settableNames)));
      await confirmLiftedGuards(context, name, changes);
      const changesText = Object.entries(changes)
        .map(([key, value]) => (value === undefined ? `${key} removed` : `${key}=${value}`))
        .join(', ');
      warnOfMissingPrograms(context, changes);
      const save = () => changeProfile(locateConfig(context), name, changes);
      if (await writeLocally(context, `set ${changesText} in profile ${name}`, save))
        context.note(`Profile ${name}: ${changesText}.`);
      return profileRow(context, name);
    },
  }),
  'profile delete': localCommand({
    restriction: 'settings',
    about: 'Delete a profile and its token; the default profile is only emptied.',
    params: { name: profileNameField },
    examples: ['stackops profile delete work'],
    output: { kind: 'change', reply: one(record('deleted profile', { name: text('Name.') }, ['name'])) },
    confirm: { ...guardConfirm, when: 'before a profile with guards is deleted' },
    run: async (context, { name }) => {
      checkProfileExists(context, name);
      await confirmLiftedGuards(context, name);
      const isDeleted = await writeLocally(context, `delete profile ${name}`, async () => {
        await openTokenStore(context.host.folders, context.warn).forget(name);
        await deleteProfile(locateConfig(context), name);
      });
      if (isDeleted) context.note(`Deleted profile ${name}.`);
      return { name };
    },
  }),
};
