import type { CommandLine } from '../../../contract/command-line.ts';
import { isoText, msOf } from '../../../contract/values/moment.ts';
import { Problem } from '../../../problems/problem.ts';
import type { Variable } from '../../../resources/env.ts';
import { settingText } from '../../../resources/setting.ts';

/** An earlier value of a variable. */
export interface EarlierValue {
  /** The number for `--to`. */
  readonly number: number;
  readonly value: string;
  readonly set_at: string | null;
  readonly replaced_at: string | null;
}

/** Which earlier value to use; by default the newest that differs. */
export interface EarlierChoice {
  readonly to?: number | undefined;
  readonly before?: Date | undefined;
}

/** The earlier values, oldest first, whatever the order in which the service sends them. */
export function earlierValues({ history }: Variable): readonly EarlierValue[] {
  const entries = (Array.isArray(history) ? history : []).map((entry) => ({
    key: Number.isSafeInteger(entry.key) ? entry.key : undefined,
    value: settingText(entry.value),
    set_at: momentOf(entry.created_at),
    replaced_at: momentOf(entry.updated_at),
  }));
  // Some services number the values; otherwise they are numbered by age.
  const isNumbered = new Set(entries.map(({ key }) => key)).size === entries.length && entries.every(({ key }) => key);
  return entries
    .toSorted((a, b) => msOf(a.set_at) - msOf(b.set_at) || (a.key ?? 0) - (b.key ?? 0))
    .map(({ key, ...entry }, index) => ({ number: isNumbered ? (key ?? 0) : index + 1, ...entry }));
}

/** When the current value was set. */
export function setAt(variable: Variable): string | null {
  return earlierValues(variable).at(-1)?.replaced_at ?? momentOf(variable.updated_at);
}

/** The newest earlier value that differs from the current one. */
export function previousOf(variable: Variable): EarlierValue | undefined {
  return earlierValues(variable).findLast(({ value }) => value !== settingText(variable.value));
}

/** The earlier value to restore; throws not_found where the service shows none. */
export function earlierValue(variable: Variable, { to, before }: EarlierChoice, stack_id: string): string {
  const { key } = variable;
  const hint = historyHint(key, stack_id);
  if (before) {
    const now = { value: settingText(variable.value), set_at: setAt(variable) };
    const found = [...earlierValues(variable), now].findLast(
      ({ set_at }) => set_at !== null && msOf(set_at) < before.getTime(),
    );
    if (found) return found.value;
    throw new Problem('not_found', `no value of ${key} is known before ${isoText(before)}`, hint);
  }
  if (to !== undefined) {
    const found = earlierValues(variable).find(({ number }) => number === to);
    if (found) return found.value;
    throw new Problem('not_found', `${key} has no earlier value ${to}`, hint);
  }
  const found = previousOf(variable);
  if (found) return found.value;
  throw new Problem('not_found', `${key} has no earlier value that differs`, hint);
}

function momentOf(sent: unknown): string | null {
  return typeof sent === 'string' ? sent : null;
}

/** For a problem: the command that shows the history. */
export function historyHint(key: string, stack_id: string): { readonly hint: CommandLine } {
  return { hint: { path: 'stack env history', operands: [key], stack_id } };
}
