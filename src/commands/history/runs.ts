import type { Context } from '../../contract/command.ts';
import { type CommandLine, commandText, type Destination, flagWords } from '../../contract/command-line.ts';
import { integer } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { relativeText } from '../../contract/values/time.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { type PrivacyOptions, readLines } from '../../files/own-file.ts';
import { environments } from '../../resources/env.ts';
import { configFile, readConfig } from '../../settings/config-file.ts';
import { addressOf, profileNames, resolveSettings, type Settings } from '../../settings/settings.ts';
import { findRun, type JournalRun, selectRuns } from '../../writes/journal/entries.ts';
import type { SentEvent } from '../../writes/journal/event.ts';
import { type HashKeys, openHashKeys } from '../../writes/journal/hash-keys.ts';
import { journalFile } from '../../writes/journal/journal.ts';
import { type HistoryRow, toHistoryRow } from './entry.ts';

export const runNumber = integer('Number of the change, from `history list`.', { range: [1, 999_999_999] });

/** One run of the journal; throws not_found. */
export function runOf(context: Context, number: number): JournalRun {
  const run = findRun(linesFor(context), number);
  if (run) return run;
  throw new CliError('not_found', `change ${number} not found in the journal`, { hint: { path: 'history list' } });
}

/** One run as a row, with commands that can be run here. */
export function historyRow(run: JournalRun, host: CommandHost): HistoryRow {
  const destination = knownDestination(run.changes[0].sent, host);
  return toHistoryRow(run, (commands) => {
    const line = destination && commandText(commands, destination);
    // With *** in place of a credential it would be another command.
    return line !== undefined && host.redact(line) === line ? line : undefined;
  });
}

export function linesFor(context: Context): Iterable<string> {
  return readLines(fileOf(context.host), accessTo(context));
}

/** Requirements for reading and writing the journal. */
export function accessTo(context: Context): PrivacyOptions & Pick<Context, 'now'> {
  const { now, warn } = context;
  return { now, warn, onExposed: keysOf(context).forget };
}

export function keysOf({ host, now, warn }: Context): HashKeys {
  return openHashKeys({ folders: host.folders, now, warn });
}

export function fileOf({ folders, embedded }: CommandHost): string {
  return journalFile(folders(), embedded() !== undefined);
}

/** The service of a change, and the profile and the account with which it was made. */
type Place = Pick<SentEvent, 'profile' | 'address' | 'account'>;

/** Undefined for an address that neither the settings in use nor a profile here have: it may be forged. */
export function knownDestination(place: Place, host: CommandHost): Destination | undefined {
  const profile = profileToUse(place, host);
  return profile === undefined ? undefined : destinationOf({ ...place, profile }, host);
}

/** The profile for printed commands about a change; undefined where none has its address. */
function profileToUse({ profile, address }: Place, host: CommandHost): string | undefined {
  const isThere = (settings: Settings) => unlessUsage(() => addressOf(settings)) === address;
  if (address === undefined || isThere(host.settings)) return profile;
  const { folders } = host;
  const names = unlessUsage(() => profileNames(readConfig(configFile(folders()), { warn: () => undefined }))) ?? [];
  const having = names.find((name) => isThere(resolveSettings({ flags: { profile: name }, env: {}, folders })));
  return having !== undefined && isProfile(profile, host) ? profile : having;
}

/** Printed commands act at the service of their change, not at the configured one. */
export function destinationOf({ profile, address, account }: Place, host: CommandHost): Destination {
  const stackName = (uid: string) => uid;
  const { platform } = host;
  if (address === undefined) {
    const isTyped = host.settings.get('sandbox').origin.kind === 'flag';
    return { flags: isTyped ? ['--sandbox'] : [], account, stackName, platform };
  }
  const now = settingsNow(host, {});
  const isKnown = isProfile(profile, host);
  const theirs = isKnown ? settingsNow(host, { profile }) : now;
  const isUsual = now.requestedProfile.value === profile;
  const isSame = unlessUsage(() => addressOf(theirs)) === address;
  return {
    account: theirs.get('account').value === account ? undefined : account,
    flags: [...(isUsual || !isKnown ? [] : flagWords('-p', profile)), ...(isSame ? [] : ['--base-url', address])],
    stackName,
    platform,
  };
}

/** True for a change of the profile in use. A change of a deleted profile belongs to every profile with its address. */
export function isOfProfile({ profile, address }: Place, host: CommandHost): boolean {
  const now = host.settings;
  if (address === undefined || now.profile === profile) return true;
  return !isProfile(profile, host) && addressOf(now) === address;
}

/** True if this command acts at the service, profile and account of a change. A deleted profile is ignored. */
export function actsThere({ profile, address, account }: Place, host: CommandHost): boolean {
  const now = host.settings;
  if (account !== undefined && now.get('account').value !== account) return false;
  if (address === undefined) return true;
  return addressOf(now) === address && (now.profile === profile || !isProfile(profile, host));
}

function isProfile(profile: string, host: CommandHost): boolean {
  return unlessUsage(() => settingsNow(host, { profile }).profile) !== undefined;
}

function settingsNow({ env, folders }: CommandHost, flags: Readonly<Record<string, string>>): Settings {
  return resolveSettings({ flags, env, folders });
}

function unlessUsage<Value>(read: () => Value): Value | undefined {
  const found = attempt(read);
  if (!(found instanceof CliError)) return found;
  if (found.kind === 'usage') return undefined;
  throw found;
}

type Deleted = Readonly<Record<'key' | 'stack_id', string>>;

/** The entry in the journal about a deleted variable: `CURRENCY was deleted 2m ago (change 14)`. */
export function deletionOf(context: Context, { key, stack_id }: Deleted) {
  const operation = `DELETE ${environments.delete.path}`;
  const path = `/stacks/${stack_id}/environments/${encodeURIComponent(key)}`;
  for (const { number, changes, undoable } of selectRuns(() => linesFor(context), {})) {
    const deletion = changes.find(
      ({ sent, answered }) =>
        sent.operation === operation &&
        sent.path === path &&
        ['done', 'queued', 'confirmed'].includes(answered?.outcome ?? '') &&
        actsThere(sent, context.host),
    );
    if (!deletion) continue;
    const when = relativeText(new Date(deletion.sent.at), context.now());
    const text = `${key} was deleted ${when} (change ${number})`;
    if (valueInUndo(undoable?.undo ?? [], { key, stack_id }) === undefined)
      return { text: `${text}; its value is not kept` };
    return { text, hint: { path: 'history undo', operands: [String(number)] } };
  }
  return undefined;
}

/** The value of a deleted variable in the recorded undo, which never holds a secret. */
export function valueInUndo(undo: readonly CommandLine[], { key, stack_id }: Deleted): string | undefined {
  const sets = undo.filter((line) => line.path === 'stack env set' && line.stack_id === stack_id);
  const kept = sets.flatMap(({ operands = [] }) => operands).find((operand) => operand.startsWith(`${key}=`));
  return kept?.slice(key.length + 1);
}
