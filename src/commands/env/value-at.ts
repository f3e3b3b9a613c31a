import { readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { isObject } from '../../contract/values/json.ts';
import { msOf } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type DeploymentRow, deployments, newestFirst } from '../../resources/deployment.ts';
import { isSecret, type Variable, variable } from '../../resources/env.ts';
import type { ValueMatcher } from '../../writes/journal/hash-keys.ts';
import { displayValue, isPlaceholder, literalText, variableText, type WantedVariable } from './variable.ts';

export interface HeldValue {
  /** The number for `rollback --to`; null for the present value. */
  readonly number: number | null;
  readonly value: string | null;
  readonly set_at: string | null;
  /** Null for the present value. */
  readonly replaced_at: string | null;
}

/** The value at a time in ms; `unknown` if the service shows none, undefined before the variable was created. */
export function valueAt(variable: Variable, ms: number): HeldValue | 'unknown' | undefined {
  const held = heldValues(variable).find(
    ({ set_at, replaced_at }) => msOf(set_at) <= ms && (replaced_at === null || msOf(replaced_at) > ms),
  );
  return held ?? (msOf(variable.created_at) <= ms ? 'unknown' : undefined);
}

/** True where it has another value than at that time; of a value that the service hides, where it was set since. */
export function hasChangedSince(variable: Variable, ms: number): boolean {
  const then = valueAt(variable, ms);
  if (!then || then === 'unknown') return true;
  return isPlaceholder(variable) ? then.number !== null : then.value !== variableText(variable);
}

/** The largest difference between the times of one change. */
const sameChangeMs = 2_000;

/** The values that the service shows, oldest first; the last one is the present value. */
export function heldValues(variable: Variable): readonly HeldValue[] {
  const { earlier, present } = entriesOf(variable);
  const numbers = numbersOf(earlier);
  const values: HeldValue[] = [];
  for (const [at, { value, since, until }] of [...earlier, present].entries()) {
    const next = earlier[at + 1] ?? present;
    const isPresent = at === earlier.length;
    const set_at = values.at(-1)?.replaced_at ?? since ?? variable.created_at ?? null;
    values.push({
      number: numbers[at] ?? null,
      value,
      set_at: isPresent ? lastChange(variable, set_at) : set_at,
      replaced_at: isPresent ? null : (until ?? next.since ?? variable.updated_at ?? null),
    });
  }
  return values;
}

function lastChange({ updated_at }: Variable, inHistory: string | null): string | null {
  return msOf(updated_at) - msOf(inHistory) > sameChangeMs ? updated_at : inHistory;
}

/** The newest earlier value that differs from the present one; `unknown` where the service does not show it. */
export function previousOf(variable: Variable): HeldValue | 'unknown' | undefined {
  const now = variableText(variable);
  const values = heldValues(variable);
  if (valueAt(variable, msOf(values.at(-1)?.set_at ?? null) - 1) === 'unknown') return 'unknown';
  return values.findLast(({ value }) => value !== now);
}

interface Entry {
  readonly key: number | null;
  readonly value: string | null;
  readonly since: string | null;
  readonly until: string | null;
}

function entriesOf(variable: Variable): { readonly earlier: readonly Entry[]; readonly present: Entry } {
  const value = variableText(variable);
  const entries = oldestFirst(sentEntries(variable), value);
  const top = entries.at(-1);
  // Some services put the present value on top of the earlier ones.
  if (top && top.until === null && top.value === value) return { earlier: entries.slice(0, -1), present: top };
  return { earlier: entries, present: { key: null, value, since: null, until: null } };
}

function sentEntries({ history }: Variable): readonly Entry[] {
  const sent = (history ?? []).filter((entry) => isObject(entry as unknown));
  // Two equal times are the moment it was replaced; a single one is the moment it was set.
  return sent.map((entry) => ({
    key: entry.key,
    value: variableText(entry),
    since: entry.created_at === entry.updated_at ? null : (entry.created_at ?? null),
    until: entry.updated_at ?? null,
  }));
}

function oldestFirst(sent: readonly Entry[], now: string | null): readonly Entry[] {
  const timeOf = ({ since, until }: Entry) => msOf(until ?? since);
  const [first, last] = [sent[0], sent.at(-1)];
  if (!first || !last) return sent;
  const age = timeOf(first) - timeOf(last);
  // Within one second only the place of the present value tells.
  const isNewestFirst = age > 0 || (age === 0 && first.value === now && last.value !== now);
  return (isNewestFirst ? sent.toReversed() : sent).toSorted(
    (a, b) => timeOf(a) - timeOf(b) || (a.key ?? 0) - (b.key ?? 0),
  );
}

/** The numbers of values: their keys if those are numbers, else their positions by age. */
function numbersOf(entries: readonly Entry[]): readonly number[] {
  const keys = entries.map(({ key }) => key ?? 0);
  const areNumbers = new Set(keys).size === keys.length && !keys.includes(0);
  return areNumbers ? keys : keys.map((_, at) => at + 1);
}

/** The variables that have changed since a deployment began, and when that was. Throws not_found. */
export async function changedSince(context: Context, stack_id: string, which: number | 'live') {
  const [known, startMs] = await Promise.all([
    readAll(context, variable, { stack_id }),
    deploymentStart(context, stack_id, which),
  ]);
  return { startMs, rows: known.filter((row) => hasChangedSince(row, startMs)) };
}

async function deploymentStart(context: Context, stack_id: string, which: number | 'live'): Promise<number> {
  if (which !== 'live') return startOf(await context.call(deployments.get, { stack_id, deployment_id: which }));
  const known = await context.call(deployments.list, { stack_id }, { limit: 100 });
  const { deploymentNamed } = await import('../deployment/get.ts');
  return startOf(deploymentNamed('live', newestFirst(known), stack_id));
}

function startOf(deployment: DeploymentRow): number {
  const ms = msOf(deployment.started_at);
  if (ms > 0) return ms;
  throw startUnknown(deployment);
}

/** Without its start every variable would look changed. */
export function startUnknown({ id }: DeploymentRow): CliError {
  return new CliError('unavailable', `the service does not say when deployment ${id} began`);
}

/** A variable that the journal knows to be changed. */
export interface RecordedVariable {
  readonly key: string;
  readonly isValue: ValueMatcher;
  /** The value before its deletion, as the recorded undo has it. */
  readonly kept?: string | undefined;
  /** The service accepted the change and may still make it, so the value before does not mean that it is undone. */
  readonly isQueued: boolean;
}

/** The value that undoes one change of a variable, or the reason why it cannot be undone. */
type EarlierState = WantedVariable | { readonly key: string; readonly refusal: string; readonly isLost?: true };

/** Finds the value before a change in the history. Refuses if the present value is not that of the change. */
export function earlierState(
  { key, isValue, isQueued, kept }: RecordedVariable,
  row: Variable | undefined,
): EarlierState {
  if (row && variableText(row) === null) return { key, refusal: `${key} is null now, which cannot be compared` };
  const now = row ? literalText(row) : null;
  if (isValue('before', now)) {
    return isQueued
      ? { key, refusal: `${key} is as it was before, and the change is still queued` }
      : { key, value: now };
  }
  const earlier = row ? heldValues(row).flatMap(({ number, value }) => (number === null ? [] : (value ?? []))) : [];
  const shown = (value: string) => displayValue(value, row === undefined || isSecret({ ...row, value }));
  if (!isValue('after', now)) {
    const left = earlier.findLast((value) => isValue('after', value));
    const state = now === null ? 'does not exist now' : `is now ${shown(now)}`;
    return { key, refusal: `${key} ${state}; the change left ${left === undefined ? 'another value' : shown(left)}` };
  }
  if (isValue('before', null)) return { key, value: null };
  const value = [kept ?? [], earlier].flat().findLast((one) => isValue('before', one));
  return value === undefined ? { key, refusal: `needs the value: ${key}`, isLost: true } : { key, value };
}
