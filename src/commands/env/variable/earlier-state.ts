import type { Audience } from '../../../contract/command.ts';
import { isSecret, type Variable } from '../../../resources/env.ts';
import { displayValue, literalText, textOf } from './value.ts';
import { heldValues } from './value-at.ts';
import type { WantedVariable } from './variable-change.ts';

/** A variable that the journal knows to be changed. */
export interface RecordedVariable {
  readonly key: string;
  /** Tells whether a value is the one before or after the change; null: there is none. */
  readonly isValue: (role: 'before' | 'after', value: string | null) => boolean;
  /** The service accepted the change and may still make it, so the value before does not mean that it is undone. */
  readonly isQueued: boolean;
}

/** What to write to undo one change of a variable, or why it cannot be undone. */
export type EarlierState = WantedVariable | { readonly key: string; readonly refusal: string };

/** Compares a variable with what the change left. The value before comes from the variable's own history. */
export function earlierState(
  { key, isValue, isQueued }: RecordedVariable,
  row: Variable | undefined,
  audience: Audience,
): EarlierState {
  if (row && textOf(row) === null) return { key, refusal: `${key} is null now, which cannot be compared` };
  const now = row ? literalText(row) : null;
  if (isValue('before', now)) {
    return isQueued
      ? { key, refusal: `${key} is as it was before, and the change is still queued` }
      : { key, value: now };
  }
  const earlier = row ? heldValues(row).flatMap(({ number, value }) => (number === null ? [] : (value ?? []))) : [];
  const shown = (value: string) => displayValue(value, row === undefined || isSecret({ ...row, value }), audience);
  if (!isValue('after', now)) {
    const left = earlier.findLast((value) => isValue('after', value));
    const state = now === null ? 'does not exist now' : `is now ${shown(now)}`;
    return { key, refusal: `${key} ${state}; the change left ${left === undefined ? 'another value' : shown(left)}` };
  }
  if (isValue('before', null)) return { key, value: null };
  const value = earlier.findLast((one) => isValue('before', one));
  return value === undefined
    ? { key, refusal: `the history of ${key} no longer holds the value before` }
    : { key, value };
}
