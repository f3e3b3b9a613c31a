import type { HashedValue } from '../../changes/journal/event.ts';
import { hashOf } from '../../changes/journal/hashed-value.ts';
import type { Audience } from '../../contract/command.ts';
import type { Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting.ts';
import { earlierValues } from './earlier-value.ts';
import { isSecret, shownValue } from './value.ts';
import type { WantedVariable } from './variable-change.ts';

/** A variable that the journal knows to be changed. */
export interface RecordedVariable extends HashedValue {
  /** The service has accepted the change, and nobody saw it made: the value before is no sign of an undo. */
  readonly isQueued: boolean;
}

/** What to write to undo one change of a variable, or why it cannot be undone. */
export type EarlierState = WantedVariable | { readonly key: string; readonly refusal: string };

/** Compares a variable with what the change left. The value before comes from the variable's own history. */
export function earlierState(
  { key, salt, before, after, isQueued }: RecordedVariable,
  row: Variable | undefined,
  audience: Audience,
): EarlierState {
  const isHashed = (hash: string | null) => (value: string | null) => hashOf(value, salt) === hash;
  const now = row ? settingText(row.value) : null;
  if (isHashed(before)(now)) {
    return isQueued
      ? { key, refusal: `${key} is as it was before, and the change is still queued` }
      : { key, value: now };
  }
  const earlier = row ? earlierValues(row).map(({ value }) => value) : [];
  const shown = (value: string) => shownValue(value, row === undefined || isSecret(row), audience);
  if (!isHashed(after)(now)) {
    const left = earlier.findLast(isHashed(after));
    const state = now === null ? 'does not exist now' : `is now ${shown(now)}`;
    return { key, refusal: `${key} ${state}; the change left ${left === undefined ? 'another value' : shown(left)}` };
  }
  if (before === null) return { key, value: null };
  const value = earlier.findLast(isHashed(before));
  return value === undefined
    ? { key, refusal: `the history of ${key} no longer holds the value before` }
    : { key, value };
}
