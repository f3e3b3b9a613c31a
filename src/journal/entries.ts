import {
  type AnsweredEvent,
  type EndedEvent,
  type JournalEvent,
  readEvent,
  type SentEvent,
  type UndoableEvent,
} from './event.ts';

/** What the journal knows of one change. */
export interface JournalEntry {
  /** Counted from 1 in the order of sending; never given to another one, because lines are only added. */
  readonly number: number;
  readonly sent: SentEvent;
  readonly answered?: AnsweredEvent;
  readonly ended?: EndedEvent;
  readonly undoable?: UndoableEvent;
}

export interface Selection {
  /** Only changes of which nobody knows whether they were made. */
  readonly open?: boolean | undefined;
  /** Only that many of the newest. */
  readonly last?: number | undefined;
}

/** True for a change that was sent and of which nobody knows whether it was made. */
export function isOpen({ answered, ended }: Omit<JournalEntry, 'number' | 'sent'>): boolean {
  if (ended && ['succeeded', 'failed', 'closed'].includes(ended.outcome)) return false;
  return answered === undefined || answered.outcome === 'unknown' || answered.outcome === 'interrupted';
}

/** The entries of a journal's lines, newest first. Only what may be wanted is held; lines that are none are passed over. */
export function selectEntries(lines: Iterable<string>, { open = false, last = Infinity }: Selection): JournalEntry[] {
  const kept = new Map<string, JournalEntry>();
  for (const entry of growingEntries(lines, kept)) {
    const { id } = entry.sent;
    if (open && !isOpen(entry)) kept.delete(id);
    // An open one may be closed by a later line, and then an older one is wanted in its place.
    else if (!open && kept.size > last) forgetOldest(kept);
  }
  const newestFirst = [...kept.values()].reverse();
  return last === Infinity ? newestFirst : newestFirst.slice(0, last);
}

/** One entry by its number; undefined when there are not so many. */
export function findEntry(lines: Iterable<string>, number: number): JournalEntry | undefined {
  const kept = new Map<string, JournalEntry>();
  for (const entry of growingEntries(lines, kept)) {
    if (entry.number !== number) kept.delete(entry.sent.id);
  }
  return [...kept.values()][0];
}

/** Yields every entry as it is begun and as it grows; those no longer in `kept` grow no more. */
function* growingEntries(lines: Iterable<string>, kept: Map<string, JournalEntry>): Generator<JournalEntry> {
  let count = 0;
  for (const line of lines) {
    const event = readEvent(line);
    if (!event) continue;
    const entry = event.event === 'sent' ? { number: ++count, sent: event } : grown(kept.get(event.id), event);
    if (!entry) continue;
    kept.set(event.id, entry);
    yield entry;
  }
}

function grown(entry: JournalEntry | undefined, event: Exclude<JournalEvent, SentEvent>): JournalEntry | undefined {
  return entry && { ...entry, [event.event]: event };
}

function forgetOldest(kept: Map<string, JournalEntry>): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
