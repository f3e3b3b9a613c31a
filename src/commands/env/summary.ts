import { changeLine, isUnderWay, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { type CommandLine, hasNoControlCharacters } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { isSecretVariable, type Variable } from '../../resources/env.ts';
import { type HistoryValue, historyValues, previousValue } from './value-at.ts';
import {
  displayValue,
  isHidden,
  textOrNullWord,
  type VariableChange,
  type VariableWrite,
  valueBefore,
  valueNow,
  valueOrNull,
} from './variable.ts';

/** Summarizes changes: `LOG_LEVEL updated (info -> debug)`, the time at which running code sees them, and the undo. */
export function summarizeVariables(
  variables: readonly VariableChange[],
  changes: readonly Change[],
  { stack_id, apply_strategy, redeploy }: VariableWrite,
): Summary {
  const results = variables.map((variable, at) => ({ variable, change: changes[at] as Change }));
  const madeChanges = results.filter(({ change }) => isUnderWay(change)).map(({ variable }) => variable);
  const rollback = { path: 'stack env rollback', operands: keysOf(madeChanges.filter(overwriteError)), stack_id };
  const changedResults = results.filter(({ change }) => change.change !== 'unchanged');
  // A single unchanged variable has a line of its own. Several are counted.
  const shownResults = results.length - changedResults.length > 1 ? changedResults : results;
  const changesText = madeChanges.length > 1 && apply_strategy === undefined ? 'each change at once, or' : 'this';
  const isEffectDelayed = madeChanges.length > 0 && !redeploy;
  const undoWith = (byValue: boolean) => undoAfter(changes, stack_id, undoCommands(madeChanges, stack_id, byValue));
  return {
    lines: [
      ...shownResults.map(({ variable, change }) => resultLine(variable, change)),
      ...(redeploy ? whyNotRedeployed(changes) : []),
    ],
    unchanged: results.length - shownResults.length,
    closing: isEffectDelayed ? [`Running code may see ${changesText} only after the next deployment.`] : [],
    // A later deletion would end the history that a rollback needs, so the recorded undo holds old values if it can.
    undo: undoWith(true),
    undoByName: undoWith(false),
    ...(rollback.operands.length > 0 && { next: { about: 'restore the other value', command: [rollback] } }),
  };
}

function undoCommands(changes: readonly VariableChange[], stack_id: string, byValue: boolean): readonly CommandLine[] {
  const deletions = changes.filter((one) => one.value === null && isOldValueInUndo(one));
  const creations = changes.filter(({ before, value }) => before === undefined && value !== null);
  const updates = changes.filter(canRollBack);
  const assigned = byValue ? updates.filter((one) => isOldValueInUndo(one) && valueBefore(one) !== '') : [];
  const operandsByVerb = {
    set: [...deletions, ...assigned].map((one) => `${one.key}=${valueBefore(one) ?? ''}`),
    rollback: keysOf(updates.filter((one) => !assigned.includes(one))),
    unset: keysOf(creations),
  };
  return Object.entries(operandsByVerb).flatMap(([verb, operands]) =>
    operands.length > 0 ? [{ path: `stack env ${verb}`, operands, stack_id }] : [],
  );
}

function whyNotRedeployed(changes: readonly Change[]): readonly string[] {
  const isChangeMade = (one: Change) => one.error === null && (one.change === 'unchanged' || isUnderWay(one));
  const unmadeChanges = changes.filter((change) => !isChangeMade(change));
  if (unmadeChanges.length === 0) return [];
  const areAllPending = unmadeChanges.every(({ error }) => error?.code === 'pending');
  return [`Not redeployed: a change ${areAllPending ? 'has not finished' : 'failed'}.`];
}

function resultLine(variable: VariableChange, change: Change): string {
  const isValueKnown = isUnderWay(change) || ['unchanged', 'accepted'].includes(change.change);
  const values = isValueKnown ? [valuesText(variable, change)] : [];
  const verb = variable.before === undefined ? verbs.create : verbs.update;
  return changeLine(variable.key, change, variable.value === null ? verbs.delete : verb, values);
}

function valuesText(variable: VariableChange, change: Change): string {
  const show = (value: string) => displayValue(value, isHidden(variable));
  const { before } = variable;
  const oldText = before && show(textOrNullWord(before));
  if (change.change === 'accepted') return oldText ?? '';
  const nowText = valueNow(variable);
  if (nowText === null)
    return oldText === undefined ? 'not set' : `was ${oldText}${isOldValueInUndo(variable) ? '' : '; no undo'}`;
  return oldText === undefined || change.change === 'unchanged' ? show(nowText) : `${oldText} -> ${show(nowText)}`;
}

function keysOf(variables: readonly VariableChange[]): readonly string[] {
  return variables.map(({ key }) => key);
}

/** True if the undo of a deletion can contain the value: the value is not secret and fits in a command line. */
export function canBeInUndo(variable: Variable): boolean {
  const value = valueOrNull(variable);
  return value !== null && !isSecretVariable(variable) && hasNoControlCharacters(value);
}

function isOldValueInUndo({ before, isPassword }: VariableChange): boolean {
  return !isPassword && before !== undefined && canBeInUndo(before);
}

function canRollBack({ before, value, after }: VariableChange): boolean {
  if (!before || value === null) return false;
  // A rollback restores the previous value of the history, which may not be the old value of this change.
  const previous = after?.history ? previousValue(after) : before;
  return previous !== undefined && previous !== 'unknown' && previous.value !== null && previous.value === before.value;
}

/** Returns the error of a change whose history shows that it replaced another value than planned; else undefined. */
export function overwriteError(variable: VariableChange): Pick<Change, 'error'> | undefined {
  const { key, before, after } = variable;
  const replacedValue = before && after ? newestReplaced(before, after) : undefined;
  if (!replacedValue || !before || replacedValue.value === valueOrNull(before)) return undefined;
  const isReplacedHidden = isHidden(variable) || isSecretVariable({ key, ...replacedValue, is_password: false });
  const value = isReplacedHidden ? 'another value' : JSON.stringify(replacedValue.value);
  const message = `somebody else set ${key} to ${value} meanwhile; this change replaced it`;
  return { error: { code: 'rejected', message } };
}

function newestReplaced(before: Variable, after: Variable): HistoryValue | undefined {
  // A value that was in the history before the change says nothing about the change.
  const newest = historyValues(after).at(-2);
  const isInOldHistory = historyValues(before).some(
    ({ number, replaced_at }) => number === newest?.number && replaced_at === newest.replaced_at,
  );
  return isInOldHistory ? undefined : newest;
}
