import { findRun, type JournalRun } from '../../changes/journal/entries.ts';
import { openHashKeys } from '../../changes/journal/hash-keys.ts';
import { journalFile } from '../../changes/journal/journal.ts';
import type { Context } from '../../contract/command.ts';
import { commandText } from '../../contract/command-line.ts';
import { integer } from '../../contract/field.ts';
import { readLines, type Secrecy } from '../../files/own-file.ts';
import { Problem } from '../../problems/problem.ts';
import type { Services } from '../services.ts';
import { destinationOf } from './destination.ts';
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
