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
  const overwrittenKeys = keysOf(madeChanges.filter((variable) => overwriteError(variable) !== undefined));
  const deletions = madeChanges.filter((one) => one.value === null && isOldValueInUndo(one));
  const commandsFor = (verb: string, operands: readonly string[]): readonly CommandLine[] =>
    operands.length > 0 ? [{ path: `stack env ${verb}`, operands, stack_id }] : [];
  const creations = madeChanges.filter(({ before, value }) => before === undefined && value !== null);
  const rollbacks = madeChanges.filter(canRollBack);
  const undoWith = (assigned: typeof rollbacks) => {
    const assignments = [...deletions, ...assigned].map((one) => `${one.key}=${valueBefore(one) ?? ''}`);
    const otherRollbacks = rollbacks.filter((one) => !assigned.includes(one));
    const rollbackCommands = commandsFor('rollback', keysOf(otherRollbacks));
    const commands = [
      ...commandsFor('set', assignments),
      ...rollbackCommands,
      ...commandsFor('unset', keysOf(creations)),
    ];
    return undoAfter(changes, stack_id, commands);
  };
  const unchangedResults = results.filter(({ change }) => change.change === 'unchanged');
  const countedResults = unchangedResults.length > 1 ? unchangedResults : [];
  const shownResults = results.filter((result) => !countedResults.includes(result));
  const changesText = madeChanges.length > 1 && apply_strategy === undefined ? 'each change at once, or' : 'this';
  const isEffectDelayed = madeChanges.length > 0 && !redeploy;
  return {
    lines: [
      ...shownResults.map(({ variable, change }) => resultLine(variable, change)),
      ...(redeploy ? whyNotRedeployed(changes) : []),
    ],
    unchanged: countedResults.length,
    closing: isEffectDelayed ? [`Running code may see ${changesText} only after the next deployment.`] : [],
    // A later deletion would end the history that a rollback needs, so the undo holds the old value if it can.
    undo: undoWith(rollbacks.filter((one) => isOldValueInUndo(one) && valueBefore(one) !== '')),
    undoByName: undoWith([]),
    ...(overwrittenKeys.length > 0 && {
      next: { about: 'restore the other value', command: commandsFor('rollback', overwrittenKeys) },
    }),
  };
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
  return {
    error: { code: 'rejected', message: `somebody else set ${key} to ${value} meanwhile; this change replaced it` },
  };
}

function newestReplaced(before: Variable, after: Variable): HistoryValue | undefined {
  // A value that was in the history before the change says nothing about the change.
  const newest = historyValues(after).at(-2);
  const isInOldHistory = historyValues(before).some(
    ({ number, replaced_at }) => number === newest?.number && replaced_at === newest.replaced_at,
  );
  return isInOldHistory ? undefined : newest;
}
