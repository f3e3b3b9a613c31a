import { changeLine, isUnderWay, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { type CommandLine, fitsLine } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { isSecret, type Variable } from '../../resources/env.ts';
import { type HeldValue, heldValues, previousOf } from './value-at.ts';
import {
  displayValue,
  isHidden,
  literalText,
  type VariableChange,
  type VariableWrite,
  valueBefore,
  valueNow,
  variableText,
} from './variable.ts';

/** `LOG_LEVEL updated (info -> debug)`, when running code sees it, and the commands that undo it. */
export function summarizeVariables(
  variables: readonly VariableChange[],
  changes: readonly Change[],
  { stack_id, apply_strategy, redeploy }: VariableWrite,
): Summary {
  const results = variables.map((variable, at) => ({ variable, change: changes[at] as Change }));
  const made = results.filter(({ change }) => isUnderWay(change)).map(({ variable }) => variable);
  const overwritten = keysOf(made.filter((variable) => overwriteOf(variable) !== undefined));
  const restored = made.filter((one) => one.value === null && isRecorded(one));
  const commandOf = (verb: string, operands: readonly string[]): readonly CommandLine[] =>
    operands.length > 0 ? [{ path: `stack env ${verb}`, operands, stack_id }] : [];
  const assignments = (all: typeof made) => all.map((one) => `${one.key}=${valueBefore(one) ?? ''}`);
  const created = made.filter(({ before, value }) => before === undefined && value !== null);
  const reversed = made.filter(canRollBack);
  // A deletion ends the history of a variable, so the value itself is recorded.
  const recorded = reversed.filter((one) => isRecorded(one) && valueBefore(one) !== '');
  const unset = commandOf('unset', keysOf(created));
  const undo = [
    ...commandOf('set', assignments([...restored, ...recorded])),
    ...commandOf('rollback', keysOf(reversed.filter((one) => !recorded.includes(one)))),
    ...unset,
  ];
  const setting = commandOf('set', assignments(restored));
  const undoByName = [...setting, ...commandOf('rollback', keysOf(reversed)), ...unset];
  const idle = results.filter(({ change }) => change.change === 'unchanged');
  const counted = idle.length > 1 ? idle : [];
  const shown = results.filter((result) => !counted.includes(result));
  const when = made.length > 1 && apply_strategy === undefined ? 'each change at once, or' : 'this';
  const isSeenLater = made.length > 0 && !redeploy;
  return {
    lines: [
      ...shown.map(({ variable, change }) => resultLine(variable, change)),
      ...(redeploy ? whyNotRedeployed(changes) : []),
    ],
    unchanged: counted.length,
    closing: isSeenLater ? [`Running code may see ${when} only after the next deployment.`] : [],
    undo: undoAfter(changes, stack_id, undo),
    undoByName: undoAfter(changes, stack_id, undoByName),
    ...(overwritten.length > 0 && {
      next: { about: 'restore the other value', command: commandOf('rollback', overwritten) },
    }),
  };
}

function whyNotRedeployed(changes: readonly Change[]): readonly string[] {
  const isMade = (one: Change) => one.error === null && (one.change === 'unchanged' || isUnderWay(one));
  const unmade = changes.filter((change) => !isMade(change));
  if (unmade.length === 0) return [];
  const isOpen = unmade.every(({ error }) => error?.code === 'pending');
  return [`Not redeployed: a change ${isOpen ? 'has not finished' : 'failed'}.`];
}

function resultLine(variable: VariableChange, change: Change): string {
  const isValueKnown = isUnderWay(change) || ['unchanged', 'accepted'].includes(change.change);
  const values = isValueKnown ? [valuesText(variable, change)] : [];
  const made = variable.before === undefined ? verbs.create : verbs.update;
  return changeLine(variable.key, change, variable.value === null ? verbs.delete : made, values);
}

function valuesText(variable: VariableChange, change: Change): string {
  const shown = (value: string) => displayValue(value, isHidden(variable));
  const { before } = variable;
  const was = before && shown(literalText(before));
  if (change.change === 'accepted') return was ?? '';
  const now = valueNow(variable);
  if (now === null) return was === undefined ? 'not set' : `was ${was}${isRecorded(variable) ? '' : '; no undo'}`;
  return was === undefined || change.change === 'unchanged' ? shown(now) : `${was} -> ${shown(now)}`;
}

function keysOf(variables: readonly VariableChange[]): readonly string[] {
  return variables.map(({ key }) => key);
}

/** True if the undo of a deletion contains the value: it is not secret and fits in a command line. */
export function isKept(variable: Variable): boolean {
  const value = variableText(variable);
  return value !== null && !isSecret(variable) && fitsLine(value);
}

function isRecorded({ before, isPassword }: VariableChange): boolean {
  return !isPassword && before !== undefined && isKept(before);
}

function canRollBack({ before, value, after }: VariableChange): boolean {
  if (!before || value === null) return false;
  // The history of the service may show another previous value.
  const previous = after?.history ? previousOf(after) : before;
  return previous !== undefined && previous !== 'unknown' && previous.value !== null && previous.value === before.value;
}

/** The error of a change that replaced another value than planned, as the history of the service shows. */
export function overwriteOf(variable: VariableChange): Pick<Change, 'error'> | undefined {
  const { key, before, after } = variable;
  const replaced = before && after ? newReplaced(before, after) : undefined;
  if (!replaced || !before || replaced.value === variableText(before)) return undefined;
  const isReplacedHidden = isHidden(variable) || isSecret({ key, ...replaced, is_password: false });
  const value = isReplacedHidden ? 'another value' : JSON.stringify(replaced.value);
  return {
    error: { code: 'rejected', message: `somebody else set ${key} to ${value} meanwhile; this change replaced it` },
  };
}

function newReplaced(before: Variable, after: Variable): HeldValue | undefined {
  // An older value says nothing about this change.
  const newest = heldValues(after).at(-2);
  const isOld = heldValues(before).some(
    ({ number, replaced_at }) => number === newest?.number && replaced_at === newest.replaced_at,
  );
  return isOld ? undefined : newest;
}
