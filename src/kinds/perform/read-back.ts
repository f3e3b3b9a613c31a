import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../contract/command.ts';
import type { Change } from '../../contract/plan.ts';
import { isObject } from '../../contract/values/json-object.ts';

/** The records of changes with what one read shows of those that were made; without any, nothing is read. */
export async function readBack<Seen>(
  changes: readonly Change[],
  read: () => Promise<Seen>,
  shown: (change: Change, seen: Seen, at: number) => Change,
): Promise<readonly Change[]> {
  if (!changes.some(isMade)) return changes;
  const seen = await read();
  return changes.map((change, at) => (isMade(change) ? shown(change, seen, at) : change));
}

/** The same with a read for each of them. */
export function eachMade(
  changes: readonly Change[],
  shown: (change: Change, at: number) => Promise<Change>,
): Promise<readonly Change[]> {
  return Promise.all(changes.map(async (change, at) => (isMade(change) ? shown(change, at) : change)));
}

/** True for a change that the service says it has made. */
export function isMade({ change }: Change): boolean {
  return !['unchanged', 'queued', 'failed', 'unknown', 'not_tried'].includes(change);
}

interface Shown {
  readonly name: string;
  /** By default as in the record. */
  readonly before?: unknown;
  readonly wanted: unknown;
  readonly now: unknown;
  /** What the record shows of it now, by default all. */
  readonly after?: unknown;
  /** Whether it is as wanted; undefined where that cannot be told. */
  readonly isWanted: boolean | undefined;
}

/** The record of a change with what the service shows now: `accepted` while any of that is still the old value. */
export function asShown(context: Context, change: Change, shown: Shown): Change {
  const { name, before = change.before, wanted, now, after = now, isWanted } = shown;
  if (isStillOld(before, wanted, now)) return { ...change, change: 'accepted', after };
  if (isWanted === false) context.warn(`the service shows another value for ${name} than was asked for`);
  return { ...change, after };
}

/** Whether a value, or a part of it, that was to change has not. */
function isStillOld(before: unknown, wanted: unknown, now: unknown): boolean {
  if (isObject(before) && isObject(wanted) && isObject(now)) {
    return Object.keys(wanted).some((name) => isStillOld(before[name], wanted[name], now[name]));
  }
  return !isSame(before, wanted) && isSame(before, now);
}

/** Compares lists without order; what is absent is null. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(sorted(one), sorted(other));
}

function sorted(value: unknown): unknown {
  return Array.isArray(value) ? value.toSorted() : (value ?? null);
}
