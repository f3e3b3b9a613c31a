import type { Audience } from '../../contract/command.ts';
import { type CommandLine, commandText } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { isUnderWay, stateWords, undoAfter, verbs } from '../../kinds/perform/summary.ts';
import { settingText } from '../../resources/setting.ts';
import { previousOf } from './earlier-value.ts';
import { overwriteOf } from './overwrite.ts';
import { isSecret, shownValue } from './value.ts';
import { isHidden, type VariableChange, valueNow } from './variable-change.ts';

export interface VariableResult {
  readonly variable: VariableChange;
  readonly change: Change;
}

interface SummaryContext {
  readonly stack_id: string;
  readonly audience: Audience;
}

/** `LOG_LEVEL updated (info -> debug)`, when running code sees it, and the commands that undo it. */
export function summarizeVariables(results: readonly VariableResult[], context: SummaryContext): Summary {
  const made = results.filter(({ change }) => isUnderWay(change)).map(({ variable }) => variable);
  const late = made.length > 0 ? ['Running code may see this only after the next deployment.'] : [];
  const overwritten = keysOf(made.filter((variable) => overwriteOf(variable) !== undefined));
  const restored = made.filter((variable) => isRestorable(variable, context.audience));
  const undo = [
    commandOf('set', restored.map(assignmentOf), context),
    commandOf('rollback', keysOf(made.filter(canRollBack)), context),
    commandOf('unset', keysOf(made.filter(({ before, value }) => before === undefined && value !== null)), context),
  ];
  return {
    lines: [...results.map((result) => lineOf(result, context.audience)), ...late],
    undo: undoAfter(
      results.map(({ change }) => change),
      context.stack_id,
      undo.flat(),
    ),
    undoHoldsValues: restored.length > 0,
    ...(overwritten.length > 0 && {
      next: { about: 'restore the other value', command: commandOf('rollback', overwritten, context) },
    }),
  };
}

function lineOf({ variable, change }: VariableResult, audience: Audience): string {
  const verb = variable.value === null ? verbs.delete : verbs.update;
  const isValueKnown = isUnderWay(change) || change.change === 'unchanged';
  const values = isValueKnown ? valuesText({ variable, change }, audience) : '';
  return `${variable.key} ${stateWords(change, verb)}${values && ` (${values})`}`;
}

/** `info -> debug`, `1`, `was info; no undo` */
function valuesText({ variable, change }: VariableResult, audience: Audience): string {
  const shown = (value: string) => shownValue(value, isHidden(variable), audience);
  const { before } = variable;
  const was = before && shown(settingText(before.value));
  const now = valueNow(variable);
  if (now === null) return was === undefined ? '' : `was ${was}${isRestorable(variable, audience) ? '' : '; no undo'}`;
  return was === undefined || change.change === 'unchanged' ? shown(now) : `${was} -> ${shown(now)}`;
}

function keysOf(variables: readonly VariableChange[]): readonly string[] {
  return variables.map(({ key }) => key);
}

function commandOf(verb: string, operands: readonly string[], { stack_id }: SummaryContext): readonly CommandLine[] {
  return operands.length > 0 ? [{ path: `stack env ${verb}`, operands, stack_id }] : [];
}

function assignmentOf({ key, before }: VariableChange): string {
  return `${key}=${settingText(before?.value)}`;
}

/** A deleted value is printed once, at a terminal, unless it is a secret or does not fit in a command line. */
function isRestorable(variable: VariableChange, { terminal }: Audience): boolean {
  const { before, value } = variable;
  if (!terminal || value !== null || !before || isSecret(before)) return false;
  return commandText({ path: 'stack env set', operands: [assignmentOf(variable)] }) !== undefined;
}

/** False where the history of the service shows another previous value. */
function canRollBack({ before, value, after }: VariableChange): boolean {
  if (!before || value === null) return false;
  return !after?.history || previousOf(after)?.value === settingText(before.value);
}
