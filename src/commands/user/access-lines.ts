import type { CommandLine } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { isSame } from '../../kinds/perform/read-back.ts';
import { acceptedLine, changeWords, undoAfter, valueText, verbs } from '../../kinds/perform/summary.ts';
import { type Access, type AccessChange, currentValues } from './access.ts';

/** `user ada@harbour.example: can_payment false -> true`; a right that is still the old one is only accepted. */
export function summarizeAccess([made]: readonly Change[], changes: readonly AccessChange[], user: string): Summary {
  if (!made) return { lines: [] };
  const name = `user ${made['email'] || user}`;
  const words = changeWords(name, made, verbs.update);
  if (made.change === 'unchanged') return { lines: [words] };
  const isOver = made.action === null || made.change === 'updated' || made.change === 'accepted';
  const shown = currentValues(changes, made.after as Access);
  const isStuck = ({ before, after }: AccessChange) => isSame(before, after);
  const lines = shown.map((change) => {
    if (isStuck(change)) return acceptedLine(name, made, `${accessName(change)} ${valueText(change.before)}`);
    const lost = isOver && undoFlags(change).length === 0 ? ' (no undo)' : '';
    return `${isOver ? name : words}: ${accessName(change)} ${valuesOf(change)}${lost}`;
  });
  const undone = isOver ? shown.filter((change) => !isStuck(change)) : [];
  return { lines, undo: undoAfter([made], undefined, undoOf(undone, user)) };
}

/** `can_payment: false -> true` */
export function transition(change: AccessChange): string {
  return `${accessName(change)}: ${valuesOf(change)}`;
}

function valuesOf({ before, after }: AccessChange): string {
  return `${valueText(before)} -> ${valueText(after)}`;
}

function accessName({ field, stack_uid, stack }: AccessChange): string {
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
