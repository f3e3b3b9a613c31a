import { localCommand, writeLocally } from '../../builders/local-command.ts';
import type { Menu } from '../../contract/command.ts';
import { flag, optional } from '../../contract/field.ts';
import { one, rows } from '../../contract/reply.ts';
import { isOpenChange, selectRuns } from '../../writes/journal/entries.ts';
import { closeRun } from '../../writes/journal/journal.ts';
import { HistoryEntry, presentRun } from './entry.ts';
import {
  historyRow,
  historyRowMaker,
  journalFileOf,
  journalLines,
  journalOptions,
  readRun,
  runNumberField,
} from './runs.ts';
import { undoCommand } from './undo.ts';

function createListCommand(path: string) {
  return localCommand({
    moreEffects: ['reads_machine'],
    about: 'List the changes made from this machine, newest first.',
    params: { open: optional(flag('Only changes with an unknown outcome.')) },
    examples: [`stackops ${path} --limit 20`, `stackops ${path} --open`],
    supportsSandbox: true,
    reply: rows(HistoryEntry),
    run: async (context, { open }) => {
      const runs = selectRuns(() => journalLines(context), { open, last: context.limit });
      return runs.map(historyRowMaker(context.host));
    },
    present: (entries, { open }) => ({
      kind: 'table',
      record: HistoryEntry,
      rows: entries,
      empty: open ? 'No open changes.' : 'No changes recorded.',
    }),
  });
}

/** The commands of `history`. They use the journal on this machine; only `undo` sends requests. */
export const historyCommands: Menu = {
  history: createListCommand('history'),
  'history list': createListCommand('history list'),
  'history show': localCommand({
    moreEffects: ['reads_machine'],
    about: 'Show one change and the commands that check and undo it.',
    params: { number: runNumberField },
    positionals: ['number'],
    examples: ['stackops history show 12'],
    supportsSandbox: true,
    exits: [[3, 'no change with that number']],
    reply: one(HistoryEntry),
    run: async (context, { number }) => historyRow(readRun(context, number), context.host),
    present: (run) => presentRun(run),
  }),
  'history close': localCommand({
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
  }),
  'history undo': undoCommand,
};
