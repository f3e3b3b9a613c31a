import { type Context, type Menu, script } from '../contract/command.ts';
import { flag, integer, optional } from '../contract/field.ts';
import { one, rows } from '../contract/reply.ts';
import { withFlags } from '../contract/shell-word.ts';
import { readLines } from '../files/read-lines.ts';
import { findRun, isOpen, type JournalRun, selectRuns } from '../journal/entries.ts';
import { closeRun, journalFile } from '../journal/journal.ts';
import { Problem } from '../problems/problem.ts';
import { HistoryEntry, historyRow, presentRun } from './history-entry.ts';
import { writeLocally } from './local-write.ts';
import type { Services } from './services.ts';

const aNumber = integer('Number of the change, as the list shows it.', { range: [1, 999_999_999] });

/** The journal of changes on this machine. The service is not asked. */
export function historyMenu(services: Services): Menu {
  return {
    history: listCommand(services, 'history'),
    'history list': listCommand(services, 'history list'),
    'history show': script({
      about: 'Show one change, with the commands that check and undo it.',
      params: { number: aNumber },
      positionals: ['number'],
      examples: ['stackops history show 12'],
      calls: [],
      asksService: true,
      exits: [[3, 'no change of that number']],
      reply: one(HistoryEntry),
      run: async (context, { number }) => historyRow(runOf(services, context, number), adapting(services)),
      present: (run) => presentRun(run),
    }),
    'history close': closeCommand(services),
  };
}

function closeCommand(services: Services) {
  return script({
    about: 'Take a change off the list of open ones.',
    params: { number: aNumber },
    positionals: ['number'],
    examples: ['stackops history close 12'],
    calls: [],
    asksService: true,
    exits: [[3, 'no change of that number']],
    reply: one(HistoryEntry),
    run: async (context, { number }) => {
      const run = runOf(services, context, number);
      if (!run.changes.some(isOpen)) context.note(`Change ${number} is not open.`);
      else {
        const isDone = await writeLocally(context, `close change ${number}`, async () =>
          closeRun(fileOf(services), run, context),
        );
        if (isDone) context.note(`Change ${number} is closed.`);
      }
      return historyRow(runOf(services, context, number), adapting(services));
    },
    tells: true,
    present: () => ({ kind: 'nothing' }),
  });
}

function runOf(services: Services, context: Context, number: number): JournalRun {
  const run = findRun(linesFor(services, context), number);
  if (run) return run;
  throw new Problem('not_found', `the journal has no change ${number}`, { hint: 'stackops history list' });
}

function listCommand(services: Services, words: string) {
  return script({
    about: 'List the changes made from this machine, newest first.',
    params: { open: optional(flag('Only changes that were sent and whose outcome nobody knows.')) },
    examples: [`stackops ${words} --limit 20`, `stackops ${words} --open`],
    calls: [],
    asksService: true,
    reply: rows(HistoryEntry),
    run: async (context, { open }) => {
      const adapt = adapting(services);
      const runs = selectRuns(() => linesFor(services, context), { open, last: context.limit });
      return runs.map((run) => historyRow(run, adapt));
    },
    present: (found, { open }) => ({
      kind: 'table',
      record: HistoryEntry,
      rows: found,
      empty: open ? 'No change is open.' : 'No change is on record.',
    }),
  });
}

function linesFor(services: Services, context: Context): Iterable<string> {
  return readLines(fileOf(services), { warn: (line) => context.warn(line) });
}

function fileOf(services: Services): string {
  return journalFile(services.folders(), services.embedded() !== undefined);
}

/** Commands of another profile than the usual one name it; those of a sandbox that was asked for by flag ask for it. */
function adapting(services: Services): (command: string, profile: string) => string {
  const settings = services.settings();
  const { profile: current, wantedProfile } = settings;
  const usual = wantedProfile.origin === 'flag --profile' ? undefined : current;
  const sandbox = settings.get('sandbox').origin === 'flag --sandbox' ? ['--sandbox'] : [];
  return (command, profile) => withFlags(command, [...(profile === usual ? [] : [`-p ${profile}`]), ...sandbox]);
}
