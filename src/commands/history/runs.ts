import type { Context } from '../../contract/command.ts';
import { type CommandLine, type Destination, flagWords } from '../../contract/command-line.ts';
import { integer } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { relativeText } from '../../contract/values/time.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { type PrivacyOptions, readLines } from '../../files/own-file.ts';
import { environments } from '../../resources/env.ts';
import { configFilePath, readConfig } from '../../settings/config-file.ts';
import { profileNames, resolveSettings, type Settings, serviceAddressOf } from '../../settings/settings.ts';
import { findRun, type JournalEntry, type JournalRun, selectRuns } from '../../writes/journal/entries.ts';
import type { SentEvent } from '../../writes/journal/event.ts';
import { type HashKeys, openHashKeys } from '../../writes/journal/hash-keys.ts';
import { journalPath } from '../../writes/journal/journal.ts';

export const runNumberField = integer('Number of the change, from `history list`.', { range: [1, 999_999_999] });

/** Returns the run with this number from the journal. Throws `not_found` if the journal has no such run. */
export function readRun(context: Context, number: number): JournalRun {
  const run = findRun(journalLines(context), number);
  if (run) return run;
  throw new CliError('not_found', `change ${number} not found in the journal`, { hint: { path: 'history list' } });
}

export function mayHaveBeenMade({ answered, ended }: JournalEntry): boolean {
  return ended?.outcome !== 'failed' && answered?.outcome !== 'refused' && answered?.outcome !== 'not_sent';
}

/** Returns the runs of the journal, newest first. For the options see `selectRuns`. */
export function journalRuns(context: Context, options: Parameters<typeof selectRuns>[1] = {}): readonly JournalRun[] {
  return selectRuns(() => journalLines(context), options);
}

function journalLines(context: Context): Iterable<string> {
  return readLines(journalFileOf(context.host), journalOptions(context));
}

/** Returns the options for reading and writing the journal; `onExposed` runs if other users could change the file. */
export function journalOptions(context: Context): PrivacyOptions & Pick<Context, 'now'> {
  const { now, warn } = context;
  return { now, warn, onExposed: hashKeysOf(context).deleteKeys };
}

export function hashKeysOf({ host, now, warn }: Context): HashKeys {
  return openHashKeys({ folders: host.folders, now, warn });
}

export function journalFileOf({ folders, embedded }: CommandHost): string {
  return journalPath(folders(), embedded() !== undefined);
}

type ChangeOrigin = Pick<SentEvent, 'profile' | 'address' | 'account'>;

/** A destination without the names of stacks, so that printed commands have the UID. */
export type NamelessDestination = Omit<Destination, 'stackName'>;

/** Returns where printed commands go; undefined if no settings here have the change's address, as it may be forged. */
export function knownDestination(origin: ChangeOrigin, host: CommandHost): NamelessDestination | undefined {
  const { folders, settings } = host;
  if (origin.address === undefined || hasAddress(settings, origin)) return destinationOf(origin, host);
  const readNames = () => profileNames(readConfig(configFilePath(folders()), { warn: () => undefined }));
  const settingsOf = (profile: string) => resolveSettings({ flags: { profile }, env: {}, folders });
  const profile = unlessUsageError(readNames)?.find((name) => hasAddress(settingsOf(name), origin));
  if (profile === undefined) return undefined;
  return destinationOf(isKnownProfile(origin.profile, host) ? origin : { ...origin, profile }, host);
}

function hasAddress(settings: Settings, { address }: ChangeOrigin): boolean {
  return unlessUsageError(() => serviceAddressOf(settings)) === address;
}

/** Returns what printed commands need to act at the service of a change, which may not be the configured service. */
export function destinationOf(origin: ChangeOrigin, host: CommandHost): NamelessDestination {
  const { profile, address, account } = origin;
  const { platform } = host;
  if (address === undefined) {
    const isSandboxFlagSet = host.settings.get('sandbox').origin.kind === 'flag';
    return { flags: isSandboxFlagSet ? ['--sandbox'] : [], account, platform };
  }
  const currentSettings = settingsWith(host, {});
  const profileExists = isKnownProfile(profile, host);
  const settings = profileExists ? settingsWith(host, { profile }) : currentSettings;
  const needsFlag = profileExists && currentSettings.requestedProfile.value !== profile;
  const addressFlags = hasAddress(settings, origin) ? [] : ['--base-url', address];
  return {
    account: settings.get('account').value === account ? undefined : account,
    flags: [...(needsFlag ? flagWords('-p', profile) : []), ...addressFlags],
    platform,
  };
}

/** True for a change of the profile in use. A change of a deleted profile belongs to every profile with its address. */
export function isOfProfile({ profile, address }: ChangeOrigin, host: CommandHost): boolean {
  const { settings } = host;
  if (address === undefined || settings.profile === profile) return true;
  return !isKnownProfile(profile, host) && serviceAddressOf(settings) === address;
}

/** True if this command acts at the service, profile and account of a change. A profile that was deleted is ignored. */
export function actsAtOrigin({ profile, address, account }: ChangeOrigin, host: CommandHost): boolean {
  const { settings } = host;
  if (account !== undefined && settings.get('account').value !== account) return false;
  if (address === undefined) return true;
  return serviceAddressOf(settings) === address && (settings.profile === profile || !isKnownProfile(profile, host));
}

function isKnownProfile(profile: string, host: CommandHost): boolean {
  return unlessUsageError(() => settingsWith(host, { profile }).profile) !== undefined;
}

function settingsWith({ env, folders }: CommandHost, flags: Readonly<Record<string, string>>): Settings {
  return resolveSettings({ flags, env, folders });
}

function unlessUsageError<Value>(read: () => Value): Value | undefined {
  const result = attempt(read);
  if (!(result instanceof CliError)) return result;
  if (result.kind === 'usage') return undefined;
  throw result;
}

type DeletedVariable = Readonly<Record<'key' | 'stack_id', string>>;

/** Returns `CURRENCY was deleted 2m ago (change 14)` and any restore hint; undefined if no deletion is recorded. */
export function deletionNotice(context: Context, { key, stack_id }: DeletedVariable) {
  const operation = `DELETE ${environments.delete.path}`;
  const path = `/stacks/${stack_id}/environments/${encodeURIComponent(key)}`;
  for (const { number, changes, undoable } of journalRuns(context)) {
    const deletion = changes.find(
      ({ sent, answered }) =>
        sent.operation === operation &&
        sent.path === path &&
        ['done', 'queued', 'confirmed'].includes(answered?.outcome ?? '') &&
        actsAtOrigin(sent, context.host),
    );
    if (!deletion) continue;
    const agoText = relativeText(new Date(deletion.sent.at), context.now());
    const text = `${key} was deleted ${agoText} (change ${number})`;
    if (valueInUndo(undoable?.undo ?? [], { key, stack_id }) === undefined)
      return { text: `${text}; its value is not kept` };
    return { text, hint: { path: 'history undo', operands: [String(number)] } };
  }
  return undefined;
}

/** Returns a variable's value in the recorded undo, which never holds a secret; undefined if the undo has no value. */
export function valueInUndo(undo: readonly CommandLine[], { key, stack_id }: DeletedVariable): string | undefined {
  const setCommands = undo.filter((line) => line.path === 'stack env set' && line.stack_id === stack_id);
  const operands = setCommands.flatMap((line) => line.operands ?? []);
  return operands.find((operand) => operand.startsWith(`${key}=`))?.slice(key.length + 1);
}
