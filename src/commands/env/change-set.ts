import type { Context } from '../../contract/command.ts';
import type { Plan, PlannedChange, Preview, Summary } from '../../contract/plan.ts';
import { Problem } from '../../problems/problem.ts';
import { describeStack } from '../../resources/stack.ts';
import { isKey } from '../assignment.ts';
import { planVariables, variableChanges } from './plan.ts';
import {
  displayValue,
  isAsWanted,
  isHidden,
  literalText,
  recordedValues,
  type VariableChange,
  type VariableWrite,
  type WantedVariable,
} from './variable.ts';

/** A variable that is to be changed, with what its source says of its place. */
export interface SourcedVariable extends WantedVariable {
  /** `.env line 3`; absent where the source has no places. */
  readonly place?: string;
  /** Why it is left alone. */
  readonly skipped?: string;
  /** Why it cannot be set. */
  readonly refused?: string;
}

/**
 * Plans a whole set of changes of variables: everything impossible is refused at once, the plan is shown, and a set that
 * deletes is confirmed by typing the name of the stack. Throws rejected with one line for each refusal.
 */
export function planChangeSet(context: Context, set: readonly SourcedVariable[], writing: VariableWrite): Plan {
  const all = variableChanges(set, writing).map((variable, at) => ({ ...variable, ...set[at] }));
  refuseImpossible(all);
  const wanted = set.filter(({ skipped }) => skipped === undefined);
  const changed = all.filter((variable) => actionOf(variable) !== 'unchanged' && actionOf(variable) !== 'skip');
  const plan = planVariables(context, wanted, writing);
  return {
    ...plan,
    summarize: (changes) => withSkipped(plan.summarize(changes), all),
    preview: previewOf(all, writing, context),
    ask: {
      level: changed.some(({ value }) => value === null) ? 'typed' : undefined,
      name: () => describeStack(context, writing.stack_id),
      facts: () => [...countsOf(changed.map(actionOf)), ...(writing.redeploy ? ['then redeploy'] : [])],
    },
  };
}

type Sourced = VariableChange & SourcedVariable;

/** What was left alone is told, also where no plan was shown. */
function withSkipped(summary: Summary, all: readonly Sourced[]): Summary {
  const left = all.filter((variable) => actionOf(variable) === 'skip');
  return { ...summary, lines: [...summary.lines, ...left.map(({ key, skipped }) => `${key} skipped: ${skipped}`)] };
}

function actionOf({ before, value, skipped }: Sourced): PlannedChange['action'] {
  if (isAsWanted(before, value)) return 'unchanged';
  if (skipped !== undefined) return 'skip';
  if (value === null) return 'delete';
  return before ? 'update' : 'create';
}

function refuseImpossible(all: readonly Sourced[]): void {
  const refused = all.flatMap((variable) => {
    const reason = refusalOf(variable);
    return reason === undefined ? [] : [variable.place === undefined ? reason : `${variable.place}: ${reason}`];
  });
  if (refused.length === 0) return;
  const count = refused.length === 1 ? 'one variable' : `${refused.length} variables`;
  throw new Problem('rejected', [`${count} cannot be changed; nothing was changed`, ...refused].join('\n'));
}

function refusalOf(variable: Sourced): string | undefined {
  const { key, before, value, skipped, refused } = variable;
  if (skipped !== undefined || isAsWanted(before, value)) return undefined;
  if (refused !== undefined) return `${key}: ${refused}`;
  if (!isKey(key)) return `${JSON.stringify(key)} is not a valid environment variable name`;
  return before?.readonly ? `${key} is read-only` : undefined;
}

function previewOf(all: readonly Sourced[], { apply_strategy, redeploy }: VariableWrite, context: Context): Preview {
  const changes = all.map((variable): PlannedChange => {
    const { key, skipped } = variable;
    return {
      key,
      action: actionOf(variable),
      ...recordedValues(variable, context),
      reason: skipped ?? null,
    } as PlannedChange;
  });
  const unchanged = changes.filter(({ action }) => action === 'unchanged').length;
  const made = changes.filter(({ action }) => action !== 'unchanged' && action !== 'skip').length;
  return {
    changes,
    lines: [
      ...all.flatMap((variable) => previewLine(variable, context)),
      ...(unchanged > 0 ? [`= ${unchanged} unchanged`] : []),
    ],
    closing: [
      ...(made > 1 && apply_strategy === undefined ? ['The service may apply each change at once.'] : []),
      ...(made > 0 && redeploy ? ['Then the stack is redeployed once.'] : []),
    ],
  };
}

/** `+ NEW_FLAG  1`, `~ LOG_LEVEL  info -> debug`, `- OLD_FLAG  1`, `! SECRET_KEY_BASE  skipped: …` */
function previewLine(variable: Sourced, { audience, reveal }: Context): readonly string[] {
  const { key, before, value, skipped } = variable;
  const shown = (text: string) => displayValue(text, isHidden(variable) && !reveal, audience);
  const was = before && shown(literalText(before));
  switch (actionOf(variable)) {
    case 'create':
      return [`+ ${key}  ${shown(value ?? '')}`];
    case 'update':
      return [`~ ${key}  ${was} -> ${shown(value ?? '')}`];
    case 'delete':
      return [`- ${key}  ${was}`];
    case 'skip':
      return [`! ${key}  skipped: ${skipped}`];
    default:
      return [];
  }
}

/** `1 to create`, `2 to change`, `1 to delete` */
export function countsOf(planned: readonly PlannedChange['action'][]): readonly string[] {
  const actions = { create: 'create', update: 'change', delete: 'delete' } as const;
  return Object.entries(actions).flatMap(([action, words]) => {
    const count = planned.filter((one) => one === action).length;
    return count > 0 ? [`${count} to ${words}`] : [];
  });
}
