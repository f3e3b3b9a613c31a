import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { isObject } from '../../contract/values/json.ts';
import { msOf } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type DeploymentRow, deployments, newestFirst } from '../../resources/deployment.ts';
import { isSecretVariable, type Variable, variable } from '../../resources/env.ts';
import type { ValueMatcher } from '../../writes/journal/hash-keys.ts';
import { displayValue, isPlaceholder, textOrNullWord, valueOrNull, type WantedVariable } from './variable.ts';

export interface HistoryValue {
  /** The number of the value for `rollback --to`; null for the current value. */
  readonly number: number | null;
  readonly value: string | null;
  readonly set_at: string | null;
  /** The time when the value was replaced; null for the current value. */
  readonly replaced_at: string | null;
}

/** Returns the value at a time in ms: `unknown` if the service shows none, undefined before the variable existed. */
export function valueAt(variable: Variable, ms: number): HistoryValue | 'unknown' | undefined {
  const historyValue = historyValues(variable).find(
    ({ set_at, replaced_at }) => msOf(set_at) <= ms && (replaced_at === null || msOf(replaced_at) > ms),
  );
  return historyValue ?? (msOf(variable.created_at) <= ms ? 'unknown' : undefined);
}

/** True if a variable has another value than at a time in ms. A hidden value counts as changed if it was set since. */
export function hasChangedSince(variable: Variable, ms: number): boolean {
  const earlierValue = valueAt(variable, ms);
  if (!earlierValue || earlierValue === 'unknown') return true;
  return isPlaceholder(variable) ? earlierValue.number !== null : earlierValue.value !== valueOrNull(variable);
}

/** Maximum difference in ms between two times that the service shows for one change. */
const sameChangeToleranceMs = 2_000;

/** Returns the values that the service shows, oldest first; the last one is the current value. */
export function historyValues(row: Variable): readonly HistoryValue[] {
  const { earlier, current } = entriesOf(row);
  const numbers = numbersOf(earlier);
  const ends = earlier.map(({ until }, at) => until ?? (earlier[at + 1] ?? current).since ?? row.updated_at ?? null);
  const startOf = (entry: ValueEntry, at: number) => ends[at - 1] ?? entry.since ?? row.created_at ?? null;
  const currentStart = startOf(current, earlier.length);
  const isOutdated = msOf(row.updated_at) - msOf(currentStart) > sameChangeToleranceMs;
  const set_at = isOutdated ? row.updated_at : currentStart;
  const earlierValues = earlier.map((one, at): HistoryValue => {
    return { number: numbers[at] ?? null, value: one.value, set_at: startOf(one, at), replaced_at: ends[at] ?? null };
  });
  return [...earlierValues, { number: null, value: current.value, set_at, replaced_at: null }];
}

/** Returns the newest earlier value unlike the current; `unknown` if the service hides it, undefined if none exists. */
export function previousValue(variable: Variable): HistoryValue | 'unknown' | undefined {
  const nowText = valueOrNull(variable);
  const values = historyValues(variable);
  if (valueAt(variable, msOf(values.at(-1)?.set_at ?? null) - 1) === 'unknown') return 'unknown';
  return values.findLast(({ value }) => value !== nowText);
}

type ValueEntry = Readonly<Record<'value' | 'since' | 'until', string | null>> & { readonly key: number | null };

function entriesOf(variable: Variable): { readonly earlier: readonly ValueEntry[]; readonly current: ValueEntry } {
  const value = valueOrNull(variable);
  const entries = oldestFirst(serviceEntries(variable), value);
  const newest = entries.at(-1);
  // Some services also list the current value, as the newest entry.
  if (newest?.until === null && newest.value === value) return { earlier: entries.slice(0, -1), current: newest };
  return { earlier: entries, current: { key: null, value, since: null, until: null } };
}

function serviceEntries({ history }: Variable): readonly ValueEntry[] {
  const serviceValues = (history ?? []).filter((entry) => isObject(entry as unknown));
  // If `created_at` equals `updated_at`, both are the time of the replacement, and the time of setting is unknown.
  return serviceValues.map((entry) => ({
    key: entry.key,
    value: valueOrNull(entry),
    since: entry.created_at === entry.updated_at ? null : (entry.created_at ?? null),
    until: entry.updated_at ?? null,
  }));
}

function oldestFirst(entries: readonly ValueEntry[], currentValue: string | null): readonly ValueEntry[] {
  const timeOf = ({ since, until }: ValueEntry) => msOf(until ?? since);
  const [firstEntry, lastEntry] = [entries[0], entries.at(-1)];
  if (!firstEntry || !lastEntry) return entries;
  const age = timeOf(firstEntry) - timeOf(lastEntry);
  // If the oldest and the newest time are equal, only the position of the current value shows the order.
  const isNewestFirst = age > 0 || (age === 0 && firstEntry.value === currentValue && lastEntry.value !== currentValue);
  return (isNewestFirst ? entries.toReversed() : entries).toSorted(
    (a, b) => timeOf(a) - timeOf(b) || (a.key ?? 0) - (b.key ?? 0),
  );
}

/** Returns the numbers of values: their keys if these are distinct numbers, else their positions by age, from 1. */
function numbersOf(entries: readonly ValueEntry[]): readonly number[] {
  const keys = entries.map(({ key }) => key ?? 0);
  const areNumbers = new Set(keys).size === keys.length && !keys.includes(0);
  return areNumbers ? keys : keys.map((_, at) => at + 1);
}

/** Throws `not_found` for an unknown deployment, and `unavailable` if its start is unknown. */
export async function readChangedSince(context: Context, stack_id: string, id: number | 'live') {
  const [rows, startMs] = await Promise.all([
    readAll(context, variable, { stack_id }),
    deploymentStart(context, stack_id, id),
  ]);
  return { startMs, rows: rows.filter((row) => hasChangedSince(row, startMs)) };
}

async function deploymentStart(context: Context, stack_id: string, id: number | 'live'): Promise<number> {
  if (id !== 'live') return startMsOf(await context.call(deployments.get, { stack_id, deployment_id: id }));
  const deploymentRows = await context.call(deployments.list, { stack_id }, { limit: 100 });
  const { findLatestOrLive } = await import('../deployment/get.ts');
  return startMsOf(findLatestOrLive('live', newestFirst(deploymentRows), stack_id));
}

function startMsOf(deployment: DeploymentRow): number {
  const ms = msOf(deployment.started_at);
  if (ms > 0) return ms;
  throw unknownStartError(deployment);
}

/** Returns the error for a deployment without a start time, since which every variable would seem changed. */
export function unknownStartError({ id }: DeploymentRow): CliError {
  return new CliError('unavailable', `the service does not say when deployment ${id} began`);
}

export interface RecordedVariable {
  readonly key: string;
  readonly isValue: ValueMatcher;
  /** The value before the change, from the recorded undo; undefined if the undo does not contain it. */
  readonly undoValue?: string | undefined;
  /** True if the service may still make the change, so the old value does not mean that the change is undone. */
  readonly isQueued: boolean;
}

/** The value that undoes one change of a variable, or the reason why it cannot be undone. */
type EarlierState = WantedVariable | { readonly key: string; readonly refusal: string; readonly isValueLost?: true };

/** Finds the value before a change in the history. Returns a refusal if the current value is not that of the change. */
export function earlierState({ key, isValue, isQueued, undoValue }: RecordedVariable, row?: Variable): EarlierState {
  if (row && valueOrNull(row) === null) return { key, refusal: `${key} is null now, which cannot be compared` };
  const nowText = row ? textOrNullWord(row) : null;
  const isUndone = isValue('before', nowText);
  if (isUndone && isQueued) return { key, refusal: `${key} is as it was before, and the change is still queued` };
  if (isUndone) return { key, value: nowText };
  const earlierValues = (row ? historyValues(row).slice(0, -1) : []).flatMap(({ value }) => value ?? []);
  const shownText = (value: string) => displayValue(value, row === undefined || isSecretVariable({ ...row, value }));
  if (!isValue('after', nowText)) {
    const newValue = earlierValues.findLast((value) => isValue('after', value));
    const newText = newValue === undefined ? 'another value' : shownText(newValue);
    const state = nowText === null ? 'does not exist now' : `is now ${shownText(nowText)}`;
    return { key, refusal: `${key} ${state}; the change left ${newText}` };
  }
  if (isValue('before', null)) return { key, value: null };
  const value = [undoValue ?? [], earlierValues].flat().findLast((one) => isValue('before', one));
  return value === undefined ? { key, refusal: `needs the value: ${key}`, isValueLost: true } : { key, value };
}
