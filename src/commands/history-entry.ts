import { instant, integer, nullable, oneOf, optional, text } from '../contract/field.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { veiledShellWord } from '../contract/shell-word.ts';
import type { JournalEntry } from '../journal/entries.ts';
import { endings, outcomes } from '../journal/event.ts';

/** A change that left this machine, as `history` shows it. */
export const HistoryEntry = record(
  'change',
  {
    number: integer('Number of the change; it stays the same.'),
    started_at: instant('When it was sent.'),
    answered_at: optional(instant('When it was answered.')),
    profile: text('Profile it was made with.'),
    stack: nullable(text('UID of the stack.')),
    words: text('What was typed after `stackops`, without values.'),
    operation: text('What was sent, as the service document names it.'),
    method: text('Method of the request.'),
    path: text('Path of the request.'),
    outcome: oneOf([...outcomes, 'unanswered'], 'What became of it.'),
    status: optional(integer('HTTP status of the answer.')),
    exit_code: optional(
      integer('Exit code by which this outcome is told; waiting for the end may have brought another.'),
    ),
    reference: nullable(text('What the service calls the result.')),
    ended: optional(oneOf(endings, 'What waiting saw of the operation at the service; closed by `history close`.')),
    ended_at: optional(instant('When waiting ended.')),
    check: optional(text('Command that shows whether it took effect.')),
    undo: optional(text('Command that undoes the run it was part of, where no value is needed for that.')),
  },
  ['number', 'started_at', 'words', 'outcome', 'reference', 'stack', 'profile'],
);
export type HistoryRow = RecordOf<typeof HistoryEntry>;

/** One entry of the journal as a row; `adapt` makes its commands work from here. */
export function historyRow(
  { number, sent, answered, ended, undoable }: JournalEntry,
  adapt: (command: string, profile: string) => string,
): HistoryRow {
  const { at, profile, stack, words, operation, method, path, check } = sent;
  return {
    number,
    started_at: at,
    ...(answered && { answered_at: answered.at }),
    profile,
    stack: stack ?? null,
    words: words.map(veiledShellWord).join(' '),
    operation,
    method,
    path,
    outcome: answered?.outcome ?? 'unanswered',
    ...(answered?.status !== undefined && { status: answered.status }),
    ...(answered?.exit_code !== undefined && { exit_code: answered.exit_code }),
    reference: answered?.reference ?? null,
    ...(ended && { ended: ended.outcome, ended_at: ended.at }),
    ...(check !== undefined && { check: adapt(check, profile) }),
    ...(undoable && { undo: adapt(undoable.undo, profile) }),
  };
}
