import type { Presentation } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, instant, integer, many, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { quoteWithPlaceholder } from '../../contract/values/text.ts';
import { isOpenChange, type JournalEntry, type JournalRun } from '../../writes/journal/entries.ts';
import { type AnswerOutcome, answerOutcomes, endOutcomes } from '../../writes/journal/event.ts';

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

/** A run that changed something, as `history` shows it. */
export const HistoryEntry = record(
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
export type HistoryRow = RecordOf<typeof HistoryEntry>;

type CommandFormatter = (commands: CommandLine | readonly CommandLine[]) => string | undefined;

/** Returns a run as a row. `textOf` returns a command as text; undefined for a command that cannot be run here. */
export function toHistoryRow({ number, changes, undoable }: JournalRun, textOf: CommandFormatter): HistoryRow {
  const { at, profile, address, command } = changes[0].sent;
  const undo = undoable && textOf(undoable.undo);
  const worstChange = changes.reduce((one, change) => (severityOf(change) > severityOf(one) ? change : one));
  return {
    number,
    started_at: at,
    ...(worstChange.answered && { answered_at: worstChange.answered.at }),
    profile,
    address: address ?? null,
    ...stackOf(changes),
    command: typedCommandText(command),
    ...changeRow(worstChange, textOf),
    ...(undo !== undefined && { undo }),
    ...(changes.length > 1 && { parts: changes.map((change) => changeRow(change, textOf)) }),
  };
}

export function typedCommandText(words: readonly string[]): string {
  return words.map(quoteWithPlaceholder).join(' ');
}

function stackOf(changes: JournalRun['changes']): Pick<HistoryRow, 'stack' | 'stack_name'> {
  const { stack, stack_name = stack } = changes[0].sent;
  if (stack === undefined || changes.some(({ sent }) => sent.stack !== stack)) return { stack: null };
  return { stack, ...(stack_name !== undefined && { stack_name }) };
}

export function presentRun({ parts, stack_name, ...run }: HistoryRow): Presentation {
  const partLines = parts?.map(({ method, path, outcome, ended }) => `${method} ${path}: ${ended ?? outcome}`);
  return {
    kind: 'detail',
    record: HistoryEntry,
    row: { ...run, stack: stack_name ?? run.stack, ...(partLines && { parts: partLines }) },
  };
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
  const { answered, ended } = change;
  if (isOpenChange(change)) return 3;
  if (ended?.outcome === 'failed' || answered?.outcome === 'refused' || answered?.outcome === 'not_sent') return 2;
  return ended && ended.outcome !== 'succeeded' ? 1 : 0;
}
