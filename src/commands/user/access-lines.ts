import type { CommandLine } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { changeWords, valueText, verbs } from '../../kinds/perform/summary.ts';
import { type Access, type AccessChange, areSameRoles, asShown } from './access.ts';

/** `user ada@harbour.example: can_payment false -> true`; after a partial change, only what was changed. */
export function summarizeAccess([made]: readonly Change[], changes: readonly AccessChange[], user: string): Summary {
  if (!made) return { lines: [] };
  const name = `user ${made['email'] || user}`;
  const words = changeWords(name, made, verbs.update);
  if (made.change === 'unchanged') return { lines: [words] };
  const isOver = made.action === null || made.change === 'updated';
  const changed = asShown(changes, made.after as Access).filter(({ before, after }) => !areSameRoles(before, after));
  const lines = changed.map((change) => {
    const lost = isOver && undoFlags(change).length === 0 ? ' (no undo)' : '';
    return `${isOver ? name : words}: ${accessName(change)} ${valuesOf(change)}${lost}`;
  });
  return isOver ? { lines, undo: undoOf(changed, user) } : { lines };
}

/** `can_payment: false -> true` */
export function transition(change: AccessChange): string {
  return `${accessName(change)}: ${valuesOf(change)}`;
}

function valuesOf({ before, after }: AccessChange): string {
  return `${valueText(before)} -> ${valueText(after)}`;
}

export function accessName({ field, stack_uid, stack }: AccessChange): string {
  return stack_uid === undefined ? field : `${field} in ${stack ?? stack_uid}`;
}

function undoOf(changed: readonly AccessChange[], user: string): readonly CommandLine[] {
  const flags = changed.flatMap(undoFlags);
  return flags.length === 0 ? [] : [{ path: 'user update', operands: [user], flags }];
}

/** Roles can be set but not removed, and a list of roles is changed only by a file: both have no undo. */
function undoFlags({ field, stack_uid, before }: AccessChange): readonly string[] {
  if (stack_uid !== undefined) return typeof before === 'string' ? ['--role', `${stack_uid}=${before}`] : [];
  return typeof before === 'boolean' ? ['--set', `${field}=${before}`] : [];
}
