import { findRun, isOpen, type JournalRun, selectRuns } from '../../changes/journal/entries.ts';
import type { SentEvent } from '../../changes/journal/event.ts';
import { closeRun, journalFile } from '../../changes/journal/journal.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { commandText, type Destination, flagWords } from '../../contract/command-line.ts';
import { flag, integer, optional } from '../../contract/field.ts';
import { one, rows } from '../../contract/reply.ts';
import { readLines } from '../../files/read-lines.ts';
import { local, writeLocally } from '../../kinds/local.ts';
import { Problem } from '../../problems/problem.ts';
import { addressOf } from '../../settings/addresses.ts';
import { resolveSettings, type Settings } from '../../settings/settings.ts';
import type { Services } from '../services.ts';
import { HistoryEntry, type HistoryRow, historyRow, presentRun } from './entry.ts';

const aNumber = integer('Number of the change, from `history list`.', { range: [1, 999_999_999] });

/** `history` reads the journal on this machine and sends no request. */
export function historyCommands(services: Services): Menu {
  return {
    history: listCommand(services, 'history'),
    'history list': listCommand(services, 'history list'),
    'history show': local({
      about: 'Show one change and the commands that check and undo it.',
      params: { number: aNumber },
      positionals: ['number'],
      examples: ['stackops history show 12'],
      knowsSandbox: true,
      exits: [[3, 'no change with that number']],
      reply: one(HistoryEntry),
      run: async (context, { number }) => rowOf(runOf(services, context, number), services),
      present: (run) => presentRun(run),
    }),
    'history close': closeCommand(services),
  };
}

function closeCommand(services: Services) {
  return local({
    about: 'Mark an open change as settled.',
    params: { number: aNumber },
    positionals: ['number'],
    examples: ['stackops history close 12'],
    knowsSandbox: true,
    exits: [[3, 'no change with that number']],
    output: { kind: 'change', reply: one(HistoryEntry) },
    run: async (context, { number }) => {
      const run = runOf(services, context, number);
      const texts = { act: `close change ${number}`, done: [`Change ${number} closed.`] };
      if (!run.changes.some(isOpen)) context.note(`Change ${number} is not open.`);
      else await writeLocally(context, texts, async () => closeRun(fileOf(services), run, context));
      return rowOf(runOf(services, context, number), services);
    },
    present: () => ({ kind: 'nothing' }),
  });
}

function rowOf(run: JournalRun, services: Services): HistoryRow {
  const destination = destinationOf(run.changes[0].sent, services);
  return historyRow(run, (commands) => {
    const line = commandText(commands, destination);
    // With *** in place of a credential it would be another command.
    return line !== undefined && services.redact(line) === line ? line : undefined;
  });
}

function runOf(services: Services, context: Context, number: number): JournalRun {
  const run = findRun(linesFor(services, context), number);
  if (run) return run;
  throw new Problem('not_found', `change ${number} not found in the journal`, { hint: { path: 'history list' } });
}

function listCommand(services: Services, path: string) {
  return local({
    about: 'List the changes made from this machine, newest first.',
    params: { open: optional(flag('Only changes with an unknown outcome.')) },
    examples: [`stackops ${path} --limit 20`, `stackops ${path} --open`],
    knowsSandbox: true,
    reply: rows(HistoryEntry),
    run: async (context, { open }) => {
      const runs = selectRuns(() => linesFor(services, context), { open, last: context.limit });
      return runs.map((run) => rowOf(run, services));
    },
    present: (found, { open }) => ({
      kind: 'table',
      record: HistoryEntry,
      rows: found,
      empty: open ? 'No open changes.' : 'No changes recorded.',
    }),
  });
}

function linesFor(services: Services, context: Context): Iterable<string> {
  return readLines(fileOf(services), { warn: (line) => context.warn(line) });
}

function fileOf(services: Services): string {
  return journalFile(services.folders(), services.embedded() !== undefined);
}

/** Printed commands act at the service of their change, not at the configured one. */
function destinationOf({ profile, address, account }: SentEvent, services: Services): Destination {
  const stackName = (uid: string) => uid;
  if (address === undefined) {
    const isTyped = services.settings().get('sandbox').origin === 'flag --sandbox';
    return { flags: isTyped ? ['--sandbox'] : [], account, stackName };
  }
  const now = settingsNow(services, {});
  const isKnown = unlessUsage(() => settingsNow(services, { profile }).profile) !== undefined;
  const theirs = isKnown ? settingsNow(services, { profile }) : now;
  const isUsual = now.wantedProfile.value === profile;
  const isSame = unlessUsage(() => addressOf(theirs)) === address;
  return {
    account: theirs.get('account').value === account ? undefined : account,
    flags: [...(isUsual || !isKnown ? [] : flagWords('-p', profile)), ...(isSame ? [] : ['--base-url', address])],
    stackName,
  };
}

/** The settings of a command with only these flags. */
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
