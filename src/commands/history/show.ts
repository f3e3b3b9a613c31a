import { localCommand, writeLocally } from '../../builders/custom-command.ts';
import { type CommandLine, commandText } from '../../contract/command-line.ts';
import { flag, group, instant, integer, many, nullable, oneOf, optional, text } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one, rows } from '../../contract/reply.ts';
import { quoteWithPlaceholder } from '../../contract/values/text.ts';
import { isOpenChange, type JournalEntry, type JournalRun } from '../../writes/journal/entries.ts';
import { type AnswerOutcome, answerOutcomes, endOutcomes } from '../../writes/journal/event.ts';
import { closeRun } from '../../writes/journal/journal.ts';
import {
  journalFileOf,
  journalOptions,
  journalRuns,
  knownDestination,
  mayHaveBeenMade,
  type NamelessDestination,
  readRun,
  runNumberField,
} from './runs.ts';

const changeFields = {
  operation: text('Operation, as the service documents it.'),
  method: text('Method of the request.'),
  path: text('Path of the request.'),
  outcome: oneOf([...answerOutcomes, 'failed', 'unanswered'], 'Outcome of the change.'),
  status: optional(integer('HTTP status of the response.')),
  exit_code: optional(integer('Exit code for this outcome, that of --wait included.')),
  reference: nullable(text('Resulting action or deployment.')),
  ended: optional(oneOf(endOutcomes, 'Result of the operation; closed by `history close`.', { label: 'result' })),
  ended_at: optional(instant('Time when the result was known.')),
  check: optional(text('Command that checks whether it took effect.')),
};

const requestField = group(changeFields, 'One request.');

const HistoryEntry = record(
  'change',
  {
    number: integer('Number of the change; it never changes.'),
    started_at: instant('Time when its first request was sent.'),
    answered_at: optional(instant('Time of the response.')),
    profile: text('Profile.'),
    address: nullable(text('Service address; null for the sandbox.')),
    stack: nullable(text('UID of the stack; null for none or several.')),
    stack_name: optional(text('What the stack was called then, else its UID.', { heading: 'stack' })),
    command: text('Command as typed after `stackops`, without values.'),
    ...changeFields,
    undo: optional(text('Command that undoes it, if that needs no value.')),
    parts: optional(many(requestField, 'Its requests, if it sent several; the change shows the worst outcome.')),
  },
  ['number', 'started_at', 'command', 'outcome', 'reference', 'profile', 'stack_name'],
  { wrappedColumn: 'command' },
);
type HistoryRow = RecordOf<typeof HistoryEntry>;

export function createListCommand(path: string) {
  return localCommand({
    about: 'List the changes made from this machine, newest first.',
    params: { open: optional(flag('Only changes with an unknown outcome.')) },
    examples: [`stackops ${path} --limit 20`, `stackops ${path} --open`],
    supportsSandbox: true,
    reply: rows(HistoryEntry),
    run: async (context, { open }) =>
      journalRuns(context, { open, last: context.limit }).map(historyRowMaker(context.host)),
    present: (entries, { open }) => ({
      kind: 'table',
      record: HistoryEntry,
      rows: entries,
      empty: open ? 'No open changes.' : 'No changes recorded.',
    }),
  });
}

export const showCommand = localCommand({
  about: 'Show one change and the commands that check and undo it.',
  params: { number: runNumberField },
  positionals: ['number'],
  examples: ['stackops history show 12'],
  supportsSandbox: true,
  exits: [[3, 'no change with that number']],
  reply: one(HistoryEntry),
  run: async (context, { number }) => historyRow(readRun(context, number), context.host),
  present: ({ parts, stack_name, ...run }) => {
    const partLines = parts?.map(({ method, path, outcome, ended }) => `${method} ${path}: ${ended ?? outcome}`);
    const row = { ...run, stack: stack_name ?? run.stack, ...(partLines && { parts: partLines }) };
    return { kind: 'detail', record: HistoryEntry, row };
  },
});

export const closeCommand = localCommand({
  moreEffects: ['changes_machine'],
  about: 'Close an open change that you have checked.',
  params: { number: runNumberField },
  positionals: ['number'],
  examples: ['stackops history close 12'],
  supportsSandbox: true,
  exits: [[3, 'no change with that number']],
  output: { kind: 'change', reply: one(HistoryEntry) },
  run: async (context, { number }) => {
    const run = readRun(context, number);
    const close = () => closeRun(journalFileOf(context.host), run, journalOptions(context));
    if (!run.changes.some(isOpenChange)) context.note(`Change ${number} is not open.`);
    else if (await writeLocally(context, `close change ${number}`, close)) context.note(`Change ${number} closed.`);
    return historyRow(readRun(context, number), context.host);
  },
});

export function historyRow(run: JournalRun, host: CommandHost): HistoryRow {
  return historyRowMaker(host)(run);
}

/** Returns a function like `historyRow` for many runs. It reads the configuration once for all runs of one origin. */
export function historyRowMaker(host: CommandHost): (run: JournalRun) => HistoryRow {
  const destinations = new Map<string, NamelessDestination | undefined>();
  return (run) => {
    const { sent } = run.changes[0];
    const key = JSON.stringify([sent.profile, sent.address, sent.account]);
    if (!destinations.has(key)) destinations.set(key, knownDestination(sent, host));
    const destination = destinations.get(key);
    return toHistoryRow(run, (commands) => {
      const line = destination && commandText(commands, destination);
      // A command with a credential is left out, because *** in place of the credential would make it another command.
      return line !== undefined && host.redact(line) === line ? line : undefined;
    });
  };
}

/** Returns a command as text; undefined for a command that cannot be run here. */
type CommandFormatter = (commands: CommandLine | readonly CommandLine[]) => string | undefined;

function toHistoryRow({ number, changes, undoable }: JournalRun, textOf: CommandFormatter): HistoryRow {
  const { at, profile, address = null, stack, stack_name, command } = changes[0].sent;
  const undo = undoable && textOf(undoable.undo);
  const worstChange = changes.reduce((one, change) => (severityOf(change) > severityOf(one) ? change : one));
  const isOfOneStack = stack !== undefined && changes.every(({ sent }) => sent.stack === stack);
  return {
    number,
    started_at: at,
    ...(worstChange.answered && { answered_at: worstChange.answered.at }),
    profile,
    address,
    ...(isOfOneStack ? { stack, stack_name: stack_name ?? stack } : { stack: null }),
    command: typedCommandText(command),
    ...changeRow(worstChange, textOf),
    ...(undo !== undefined && { undo }),
    ...(changes.length > 1 && { parts: changes.map((change) => changeRow(change, textOf)) }),
  };
}

export function typedCommandText(words: readonly string[]): string {
  return words.map(quoteWithPlaceholder).join(' ');
}

function changeRow(entry: JournalEntry, textOf: CommandFormatter) {
  const { sent, answered, ended } = entry;
  const exit_code = ended?.exit_code ?? answered?.exit_code;
  const { operation, method, path } = sent;
  const check = sent.check && textOf(sent.check);
  return {
    operation,
    method,
    path,
    outcome: outcomeOf(entry),
    ...(answered?.status !== undefined && { status: answered.status }),
    ...(exit_code !== undefined && { exit_code }),
    reference: answered?.reference ?? null,
    ...(ended && { ended: ended.outcome, ended_at: ended.at }),
    ...(check !== undefined && { check }),
  };
}

/** Returns the outcome of a change. The end of its operation matters more than the response to its request. */
function outcomeOf({ answered, ended }: JournalEntry): AnswerOutcome | 'failed' | 'unanswered' {
  if (ended?.outcome === 'failed') return 'failed';
  if (ended?.outcome === 'succeeded') return 'done';
  return answered?.outcome ?? 'unanswered';
}

/** Returns the severity of a change, from 0 to 3 (an open change). The worst change represents its run. */
function severityOf(change: JournalEntry): number {
  if (isOpenChange(change)) return 3;
  if (!mayHaveBeenMade(change)) return 2;
  return change.ended && change.ended.outcome !== 'succeeded' ? 1 : 0;
}
