import { isObject } from '../../../contract/values/json-object.ts';
import { msOf } from '../../../contract/values/moment.ts';
import type { Variable } from '../../../resources/env.ts';
import { isPlaceholder, textOf } from './value.ts';

/** A value that a variable had, or has. */
export interface HeldValue {
  /** The number for `rollback --to`; null for the present value. */
  readonly number: number | null;
  /** Null where the service sent null. */
  readonly value: string | null;
  readonly set_at: string | null;
  /** Null for the present value. */
  readonly replaced_at: string | null;
}

/** What a variable was at a time, in ms, and since when; undefined before it existed, as far as the service tells. */
export function valueAt(variable: Variable, ms: number): HeldValue | undefined {
  const values = heldValues(variable);
  const held = values.find(({ replaced_at }) => msOf(replaced_at) > ms) ?? values.at(-1);
  return held && msOf(held.set_at) <= ms ? held : undefined;
}

/** Whether it has another value than at that time; of a value that the service hides, whether it was set since. */
export function hasChangedSince(variable: Variable, ms: number): boolean {
  const then = valueAt(variable, ms);
  if (!then) return true;
  return isPlaceholder(variable) ? then.number !== null : then.value !== textOf(variable);
}

/** Its values, oldest first; the last one is the present value. */
export function heldValues(variable: Variable): readonly HeldValue[] {
  const { earlier, present } = entriesOf(variable);
  const numbers = numbersOf(earlier);
  const values: HeldValue[] = [];
  for (const [at, { value, since, until }] of [...earlier, present].entries()) {
    const next = earlier[at + 1] ?? present;
    values.push({
      number: numbers[at] ?? null,
      value,
      set_at: values.at(-1)?.replaced_at ?? since ?? momentOf(variable.created_at),
      replaced_at: at === earlier.length ? null : (until ?? next.since ?? momentOf(variable.updated_at)),
    });
  }
  return values;
}

export function presentValue(variable: Variable): HeldValue {
  return heldValues(variable).at(-1) as HeldValue;
}

/** The newest earlier value that can be set again and differs from the present one. */
export function previousOf(variable: Variable): HeldValue | undefined {
  const now = textOf(variable);
  return heldValues(variable).findLast(({ value }) => value !== null && value !== now);
}

interface Entry {
  readonly key: unknown;
  readonly value: string | null;
  /** When it was set, where that is said. */
  readonly since: string | null;
  /** When it was replaced, where that is said. */
  readonly until: string | null;
}

/** Some services put the present value on top of the earlier ones. */
function entriesOf(variable: Variable): { readonly earlier: readonly Entry[]; readonly present: Entry } {
  const value = textOf(variable);
  const entries = oldestFirst(sentEntries(variable), value);
  const top = entries.at(-1);
  if (top && top.until === null && top.value === value) return { earlier: entries.slice(0, -1), present: top };
  // Without any history only the time of the last change is known.
  const since = Array.isArray(variable.history) ? null : momentOf(variable.updated_at);
  return { earlier: entries, present: { key: undefined, value, since, until: null } };
}

/** Two equal times are the moment it was replaced; a single one is the moment it was set. */
function sentEntries({ history }: Variable): readonly Entry[] {
  const sent = (Array.isArray(history) ? history : []).filter((entry) => isObject(entry as unknown));
  return sent.map((entry) => ({
    key: entry.key,
    value: textOf(entry),
    since: entry.created_at === entry.updated_at ? null : momentOf(entry.created_at),
    until: momentOf(entry.updated_at),
  }));
}

function oldestFirst(sent: readonly Entry[], now: string | null): readonly Entry[] {
  const [first, last] = [sent[0], sent.at(-1)];
  if (!first || !last) return sent;
  const age = timeOf(first) - timeOf(last);
  // Within one second only the place of the present value tells.
  const isNewestFirst = age > 0 || (age === 0 && first.value === now && last.value !== now);
  return (isNewestFirst ? sent.toReversed() : sent).toSorted(
    (a, b) => timeOf(a) - timeOf(b) || (Number(a.key) || 0) - (Number(b.key) || 0),
  );
}

function timeOf({ since, until }: Entry): number {
  return msOf(until ?? since);
}

/** Their keys where those are numbers, else their places by age. */
function numbersOf(entries: readonly Entry[]): readonly number[] {
  const keys = entries.map(({ key }) => (Number.isSafeInteger(key) ? Number(key) : 0));
  const areNumbers = new Set(keys).size === keys.length && !keys.includes(0);
  return areNumbers ? keys : keys.map((_, at) => at + 1);
}

function momentOf(sent: unknown): string | null {
  return typeof sent === 'string' ? sent : null;
}
