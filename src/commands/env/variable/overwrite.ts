import type { Change } from '../../../contract/plan.ts';
import { isSecret, type Variable } from '../../../resources/env.ts';
import { textOf } from './value.ts';
import { type HeldValue, heldValues } from './value-at.ts';
import { isHidden, type VariableChange } from './variable-change.ts';

/**
 * The error of a change that replaced another value than the one it was planned over: somebody else wrote in between. The
 * service has no way to refuse that, but its history shows what was replaced.
 */
export function overwriteOf(variable: VariableChange): Pick<Change, 'error'> | undefined {
  const { key, before, after } = variable;
  const replaced = before && after ? newReplaced(before, after) : undefined;
  if (!replaced || !before || replaced.value === textOf(before)) return undefined;
  const isReplacedHidden = isHidden(variable) || isSecret({ key, ...replaced, is_password: false });
  const value = isReplacedHidden ? 'another value' : JSON.stringify(replaced.value);
  return {
    error: { code: 'rejected', message: `somebody else set ${key} to ${value} meanwhile; this change replaced it` },
  };
}

/** The newest value in the history; undefined where it was there before, so that it says nothing about this change. */
function newReplaced(before: Variable, after: Variable): HeldValue | undefined {
  const newest = heldValues(after).at(-2);
  const isOld = heldValues(before).some(
    ({ number, replaced_at }) => number === newest?.number && replaced_at === newest.replaced_at,
  );
  return isOld ? undefined : newest;
}
