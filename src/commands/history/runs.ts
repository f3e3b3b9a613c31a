import { findRun, type JournalRun } from '../../changes/journal/entries.ts';
import type { SentEvent } from '../../changes/journal/event.ts';
import { openHashKeys } from '../../changes/journal/hash-keys.ts';
import { journalFile } from '../../changes/journal/journal.ts';
import type { Context } from '../../contract/command.ts';
import { commandText, type Destination, flagWords } from '../../contract/command-line.ts';
import { integer } from '../../contract/field.ts';
import { readLines, type Secrecy } from '../../files/own-file.ts';
import { Problem } from '../../problems/problem.ts';
import { addressOf } from '../../settings/addresses.ts';
import { resolveSettings, type Settings } from '../../settings/settings.ts';
import type { Services } from '../services.ts';
import { type HistoryRow, historyRow } from './entry.ts';

export const runNumber = integer('Number of the change, from `history list`.', { range: [1, 999_999_999] });

/** One run of the journal; throws not_found. */
export function runOf(services: Services, context: Context, number: number): JournalRun {
  const run = findRun(linesFor(services, context), number);
  if (run) return run;
  throw new Problem('not_found', `change ${number} not found in the journal`, { hint: { path: 'history list' } });
}

/** One run as a row, with commands that can be run here. */
export function rowOf(run: JournalRun, services: Services): HistoryRow {
  const destination = destinationOf(run.changes[0].sent, services);
  return historyRow(run, (commands) => {
    const line = commandText(commands, destination);
    // With *** in place of a credential it would be another command.
    return line !== undefined && services.redact(line) === line ? line : undefined;
  });
}

export function linesFor(services: Services, context: Context): Iterable<string> {
  return readLines(fileOf(services), accessTo(services, context));
}

/** What reading and writing the journal needs. */
export function accessTo({ folders }: Services, { now, warn }: Context): Secrecy & Pick<Context, 'now'> {
  return { now, warn, exposed: openHashKeys({ folders, now, warn }).forget };
}

export function fileOf(services: Services): string {
  return journalFile(services.folders(), services.embedded() !== undefined);
}

/** Printed commands act at the service of their change, not at the configured one. */
export function destinationOf({ profile, address, account }: SentEvent, services: Services): Destination {
  const stackName = (uid: string) => uid;
  const { platform } = services;
  if (address === undefined) {
    const isTyped = services.settings().get('sandbox').origin === 'flag --sandbox';
    return { flags: isTyped ? ['--sandbox'] : [], account, stackName, platform };
  }
  const now = settingsNow(services, {});
  const isKnown = isProfile(profile, services);
  const theirs = isKnown ? settingsNow(services, { profile }) : now;
  const isUsual = now.wantedProfile.value === profile;
  const isSame = unlessUsage(() => addressOf(theirs)) === address;
  return {
    account: theirs.get('account').value === account ? undefined : account,
    flags: [...(isUsual || !isKnown ? [] : flagWords('-p', profile)), ...(isSame ? [] : ['--base-url', address])],
    stackName,
    platform,
  };
}

/** Whether this command acts at the service, with the profile and the account of a change. A profile that is gone does not matter. */
export function actsThere({ profile, address, account }: SentEvent, services: Services): boolean {
  const now = services.settings();
  if (account !== undefined && now.get('account').value !== account) return false;
  if (address === undefined) return true;
  return addressOf(now) === address && (now.profile === profile || !isProfile(profile, services));
}

function isProfile(profile: string, services: Services): boolean {
  return unlessUsage(() => settingsNow(services, { profile }).profile) !== undefined;
}

function settingsNow({ env, folders }: Services, flags: Readonly<Record<string, string>>): Settings {
  return resolveSettings({ flags, env, folders });
}

function unlessUsage<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof Problem && error.kind === 'usage') return undefined;
    throw error;
  }
}
