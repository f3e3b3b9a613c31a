import type { CommandLine } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { stateWords, valueText, verbs } from '../../kinds/perform/summary.ts';
import { type Access, type AccessChange, asShown, isSame } from './access.ts';

/** One line for each right and role; of a change that was made in part, for those that were changed. */
export function summarizeAccess([made]: readonly Change[], changes: readonly AccessChange[], user: string): Summary {
  if (!made) return { lines: [] };
  if (made.change === 'unchanged') return { lines: [`user ${made['email'] || user} unchanged`] };
  const changed = asShown(changes, made.after as Access).filter(({ before, after }) => !isSame(before, after));
  if (made.action !== null && made.change !== 'updated') {
    return { lines: changed.map((change) => `${transition(change)}: ${stateWords(made, verbs.update)}`) };
  }
  return {
    lines: changed.map((change) => `${transition(change)}${undoFlags(change).length === 0 ? ' (no undo)' : ''}`),
    undo: undoOf(changed, user),
  };
}

/** `can_payment: false -> true` */
export function transition(change: AccessChange): string {
  return `${nameOf(change)}: ${valueText(change.before)} -> ${valueText(change.after)}`;
}

export function nameOf({ field, stack_uid, stack }: AccessChange): string {
  return stack_uid === undefined ? field : `${field} in ${stack ?? stack_uid}`;
}

function undoOf(changed: readonly AccessChange[], user: string): readonly CommandLine[] {
  const flags = changed.flatMap(undoFlags);
  return flags.length === 0 ? [] : [{ path: 'user update', operands: [user], flags }];
}

/** A role is given and changed, not taken away; a list of them is changed by a file only. */
function undoFlags({ field, stack_uid, before }: AccessChange): readonly string[] {
  if (stack_uid !== undefined) return typeof before === 'string' ? ['--role', `${stack_uid}=${before}`] : [];
  return typeof before === 'boolean' ? ['--set', `${field}=${before}`] : [];
}
