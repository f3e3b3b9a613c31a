import { type EventOf, type JournalEvent, readEvent, type SentEvent } from './event.ts';

export interface JournalEntry {
  readonly sent: SentEvent;
  readonly answered?: EventOf<'answered'>;
  readonly ended?: EventOf<'ended'>;
}

export interface JournalRun {
  /** Position of the run in the journal, from 1. The journal only grows, so a run keeps its number. */
  readonly number: number;
  /** At least one change, in the order of sending. */
  readonly changes: readonly [JournalEntry, ...JournalEntry[]];
  readonly undoable?: EventOf<'undoable'>;
}

/** True if it is unknown whether the change was made. */
export function isOpenChange({ answered, ended }: Omit<JournalEntry, 'sent'>): boolean {
  if (ended && ['succeeded', 'failed', 'closed'].includes(ended.outcome)) return false;
  return answered === undefined || answered.outcome === 'unknown' || answered.outcome === 'interrupted';
}

type RunSelection = { readonly open?: boolean | undefined; readonly last?: number | undefined };

/**
 * Returns the runs of a journal, newest first. `open` selects the runs with an open change, `last` limits their number.
 * Each call of `readAll` reads the journal from its start. Only selected runs stay in memory; invalid lines are skipped.
 */
export function selectRuns(readAll: () => Iterable<string>, { open, last }: RunSelection): readonly JournalRun[] {
  const openIds = open ? findOpenRunIds(readAll()) : undefined;
  return collectRuns(readAll(), ({ changes: [{ sent }] }) => openIds?.has(sent.id) ?? true, last).reverse();
}

export function findRun(lines: Iterable<string>, number: number): JournalRun | undefined {
  return collectRuns(lines, (run) => run.number === number)[0];
}

/** Matches the line of the first change of a run when the line was too long: `readLines` cut it and added `\0`. */
const cutChangePattern = /^\{"event":"sent","id":"[^"]*","at":[^\0]*\0/;

function collectRuns(lines: Iterable<string>, isWanted: (run: JournalRun) => boolean, limit = Infinity): JournalRun[] {
  const runs = new Map<string, JournalRun>();
  let runCount = 0;
  for (const line of lines) {
    const event = readEvent(line);
    if (!event) {
      if (cutChangePattern.test(line)) runCount += 1;
      continue;
    }
    const id = runIdOf(event);
    const startsRun = event.event === 'sent' && event.run === undefined;
    const earlierRun = runs.get(id);
    const run: JournalRun | undefined = startsRun
      ? { number: ++runCount, changes: [{ sent: event }] }
      : earlierRun && withEvent(earlierRun, event);
    if (run && isWanted(run)) runs.set(id, run);
    const [oldest = id] = runs.keys();
    if (runs.size > limit) runs.delete(oldest);
  }
  return [...runs.values()];
}

function runIdOf({ run, id }: JournalEvent): string {
  return run ?? id;
}

function withEvent(run: JournalRun, event: JournalEvent): JournalRun {
  const [first, ...others] = run.changes;
  if (event.event === 'sent') return { ...run, changes: [first, ...others, { sent: event }] };
  if (event.event === 'undoable') return { ...run, undoable: event };
  const addEvent = (change: JournalEntry) =>
    change.sent.id === event.id ? { ...change, [event.event]: event } : change;
  return { ...run, changes: [addEvent(first), ...others.map(addEvent)] };
}

function findOpenRunIds(lines: Iterable<string>): ReadonlySet<string> {
  const openChanges = new Map<string, JournalEntry>();
  for (const line of lines) {
    const event = readEvent(line);
    if (!event || event.event === 'undoable') continue;
    const earlier = openChanges.get(event.id);
    const change = event.event === 'sent' ? { sent: event } : earlier && { ...earlier, [event.event]: event };
    if (change && isOpenChange(change)) openChanges.set(event.id, change);
    else openChanges.delete(event.id);
  }
  return new Set([...openChanges.values()].map(({ sent }) => runIdOf(sent)));
}
