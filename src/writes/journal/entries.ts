import { type EventOf, type JournalEvent, readEvent, type SentEvent } from './event.ts';

export interface JournalEntry {
  readonly sent: SentEvent;
  readonly answered?: EventOf<'answered'>;
  readonly ended?: EventOf<'ended'>;
}

export interface JournalRun {
  /** Counted from 1 in the order of their first change; never given to another one, because lines are only added. */
  readonly number: number;
  /** At least one, in the order of sending. */
  readonly changes: readonly [JournalEntry, ...JournalEntry[]];
  readonly undoable?: EventOf<'undoable'>;
}

/** True for a change that was sent and of which nobody knows whether it was made. */
export function isOpen({ answered, ended }: Omit<JournalEntry, 'sent'>): boolean {
  if (ended && ['succeeded', 'failed', 'closed'].includes(ended.outcome)) return false;
  return answered === undefined || answered.outcome === 'unknown' || answered.outcome === 'interrupted';
}

/**
 * The runs of a journal, newest first: only those with an open change, and only so many of the newest. `lines` begins to
 * read it anew. Only what may be wanted is held; lines that are none are passed over.
 */
export function selectRuns(
  lines: () => Iterable<string>,
  { open = false, last = Infinity }: { readonly open?: boolean | undefined; readonly last?: number | undefined },
): readonly JournalRun[] {
  const wanted = open ? openRuns(lines()) : undefined;
  const kept: Kept = new Map();
  for (const [key] of growingRuns(lines(), kept)) {
    if (wanted && !wanted.has(key)) kept.delete(key);
    else if (kept.size > last) {
      const [oldest = key] = kept.keys();
      kept.delete(oldest);
    }
  }
  return [...kept.values()].reverse();
}

/** One run by its number; undefined when there are not so many. */
export function findRun(lines: Iterable<string>, number: number): JournalRun | undefined {
  const kept: Kept = new Map();
  for (const [key, run] of growingRuns(lines, kept)) {
    if (run.number !== number) kept.delete(key);
  }
  return [...kept.values()][0];
}

/** Runs by the id of their first change. */
type Kept = Map<string, JournalRun>;

/** Yields every run as it begins and as it grows; those no longer in `kept` grow no more. */
function* growingRuns(lines: Iterable<string>, kept: Kept): Generator<readonly [string, JournalRun]> {
  let count = 0;
  for (const event of eventsOf(lines)) {
    const key = runOf(event);
    const begins = event.event === 'sent' && event.run === undefined;
    const before = kept.get(key);
    const run: JournalRun | undefined = begins
      ? { number: ++count, changes: [{ sent: event }] }
      : before && grown(before, event);
    if (!run) continue;
    kept.set(key, run);
    yield [key, run];
  }
}

function* eventsOf(lines: Iterable<string>): Generator<JournalEvent> {
  for (const line of lines) {
    const event = readEvent(line);
    if (event) yield event;
  }
}

function runOf({ run, id }: JournalEvent): string {
  return run ?? id;
}

function grown(run: JournalRun, event: JournalEvent): JournalRun {
  const [first, ...others] = run.changes;
  switch (event.event) {
    case 'sent':
      return { ...run, changes: [first, ...others, { sent: event }] };
    case 'undoable':
      return { ...run, undoable: event };
    default: {
      const grow = (change: JournalEntry) =>
        change.sent.id === event.id ? { ...change, [event.event]: event } : change;
      return { ...run, changes: [grow(first), ...others.map(grow)] };
    }
  }
}

function openRuns(lines: Iterable<string>): ReadonlySet<string> {
  const open = new Map<string, JournalEntry>();
  for (const event of eventsOf(lines)) {
    if (event.event === 'undoable') continue;
    const before = open.get(event.id);
    const change = event.event === 'sent' ? { sent: event } : before && { ...before, [event.event]: event };
    if (change && isOpen(change)) open.set(event.id, change);
    else open.delete(event.id);
  }
  return new Set([...open.values()].map(({ sent }) => runOf(sent)));
}
