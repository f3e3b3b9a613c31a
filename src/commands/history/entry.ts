import { isOpen, type JournalEntry, type JournalRun } from '../../changes/journal/entries.ts';
import { answerOutcomes, endOutcomes } from '../../changes/journal/event.ts';
import type { Presentation } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, instant, integer, many, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { veiledShellWord } from '../../contract/values/shell-word.ts';

/** One change that left this machine. */
const changeFields = {
  operation: text('What was sent, as the service document names it.'),
  method: text('Method of the request.'),
  path: text('Path of the request.'),
  outcome: oneOf([...answerOutcomes, 'unanswered'], 'What became of it.'),
  status: optional(integer('HTTP status of the answer.')),
  exit_code: optional(
    integer('Exit code by which this outcome is told; waiting for the end may have brought another.'),
  ),
  reference: nullable(text('What the service calls the result.')),
  ended: optional(oneOf(endOutcomes, 'What waiting saw of the operation at the service; closed by `history close`.')),
  ended_at: optional(instant('When waiting ended.')),
  check: optional(text('Command that shows whether it took effect.')),
};

/** A run that changed something at the service, as `history` shows it. */
export const HistoryEntry = record(
  'change',
  {
    number: integer('Number of the run; it stays the same.'),
    started_at: instant('When its first change was sent.'),
    answered_at: optional(instant('When it was answered.')),
    profile: text('Profile it was made with.'),
    address: nullable(text('Address of the service; none for the sandbox.')),
    stack: nullable(text('UID of the stack; null for several.')),
    command: text('What was typed after `stackops`, without values.'),
    ...changeFields,
    undo: optional(text('Command that undoes the run, where no value is needed for that.')),
    parts: optional(
      many(group(changeFields, 'One change.'), 'Its changes, where it made several; the run shows the worst of them.'),
    ),
  },
  ['number', 'started_at', 'command', 'outcome', 'reference', 'profile', 'stack'],
);
export type HistoryRow = RecordOf<typeof HistoryEntry>;

type TextOf = (commands: CommandLine | readonly CommandLine[]) => string | undefined;

/** One run of the journal as a row; `textOf` makes its commands lines that work from here. */
export function historyRow({ number, changes, undoable }: JournalRun, textOf: TextOf): HistoryRow {
  const { at, profile, address, stack, command } = changes[0].sent;
  const undo = undoable && textOf(undoable.undo);
  const worst = changes.reduce((one, other) => (gravity(other) > gravity(one) ? other : one));
  const isOneStack = changes.every(({ sent }) => sent.stack === stack);
  return {
    number,
    started_at: at,
    ...(worst.answered && { answered_at: worst.answered.at }),
    profile,
    address: address ?? null,
    stack: (isOneStack ? stack : undefined) ?? null,
    command: command.map(veiledShellWord).join(' '),
    ...changeRow(worst, textOf),
    ...(undo !== undefined && { undo }),
    ...(changes.length > 1 && { parts: changes.map((change) => changeRow(change, textOf)) }),
  };
}

/** One run in full, each of its changes in a few words. */
export function presentRun({ parts, ...run }: HistoryRow): Presentation {
  const said = parts?.map(({ method, path, outcome, ended }) => `${method} ${path}: ${ended ?? outcome}`);
  return { kind: 'detail', record: HistoryEntry, row: { ...run, ...(said && { parts: said }) } };
}

function changeRow({ sent, answered, ended }: JournalEntry, textOf: TextOf) {
  const { operation, method, path } = sent;
  const check = sent.check && textOf(sent.check);
  return {
    operation,
    method,
    path,
    outcome: answered?.outcome ?? ('unanswered' as const),
    ...(answered?.status !== undefined && { status: answered.status }),
    ...(answered?.exit_code !== undefined && { exit_code: answered.exit_code }),
    reference: answered?.reference ?? null,
    ...(ended && { ended: ended.outcome, ended_at: ended.at }),
    ...(check !== undefined && { check }),
  };
}

/** What most needs to be known of several comes first: what is open, then what failed. */
function gravity(change: JournalEntry): number {
  const { answered, ended } = change;
  if (isOpen(change)) return 3;
  if (ended?.outcome === 'failed' || answered?.outcome === 'refused' || answered?.outcome === 'not_sent') return 2;
  return ended && ended.outcome !== 'succeeded' ? 1 : 0;
}
