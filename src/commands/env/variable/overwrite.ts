import type { Change } from '../../../contract/plan.ts';
import { msOf } from '../../../contract/values/moment.ts';
import type { Variable } from '../../../resources/env.ts';
import { settingText } from '../../../resources/setting.ts';
import { isSecret } from './value.ts';
import { isHidden, type VariableChange } from './variable-change.ts';

/**
 * The error of a change that replaced another value than the one it was planned over: somebody else wrote in between. The
 * service has no way to refuse that, but its history shows what was replaced.
 */
export function overwriteOf(variable: VariableChange): Pick<Change, 'error'> | undefined {
  const { key, before, after } = variable;
  const replaced = before && after && newReplaced(before, after);
  if (replaced === undefined || replaced === settingText(before?.value)) return undefined;
  const isReplacedHidden = isHidden(variable) || isSecret({ key, value: replaced, is_password: false });
  const value = isReplacedHidden ? 'another value' : JSON.stringify(replaced);
  return {
    error: { code: 'rejected', message: `somebody else set ${key} to ${value} meanwhile; this change replaced it` },
  };
}

/** The newest value in the history; undefined where it was there before, so that it says nothing about this change. */
function newReplaced(before: Variable, after: Variable): string | undefined {
  const entries = (after.history ?? []).toSorted(
    (a, b) => msOf(a.updated_at) - msOf(b.updated_at) || Number(a.key) - Number(b.key),
  );
  const newest = entries.at(-1);
  const isOld = (before.history ?? []).some(
    ({ key, updated_at }) => key === newest?.key && updated_at === newest.updated_at,
  );
  return newest === undefined || isOld ? undefined : settingText(newest.value);
}
