import type { Context } from '../../contract/command.ts';
import { type Field, many } from '../../contract/field.ts';
import type { Plan, PlannedChange, Preview } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readPair } from '../../fields/read-value.ts';
import { isValidKey } from '../../resources/env.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { planVariables, variableChanges } from './plan.ts';
import {
  displayValue,
  isAsWanted,
  isHidden,
  recordedValues,
  textOrNullWord,
  type VariableChange,
  type VariableWrite,
  type WantedVariable,
} from './variable.ts';

export interface SourcedVariable extends WantedVariable {
  /** A location such as `.env line 3`; absent for a source without lines. */
  readonly location?: string;
  readonly skipReason?: string;
  readonly refusal?: string;
}

/** Plans changes of variables, with a preview. Throws `rejected` if changes are impossible, with a line for each. */
export function planChangeSet(context: Context, variables: readonly SourcedVariable[], options: VariableWrite): Plan {
  const edits = variableChanges(variables, options).map((edit): SourcedChange => ({ ...edit, action: actionOf(edit) }));
  refuseImpossibleChanges(edits);
  const unskippedVariables = variables.filter(({ skipReason }) => skipReason === undefined);
  const plan = planVariables(context, unskippedVariables, options);
  const actions = edits.map(({ action }) => action);
  return {
    ...plan,
    summarize: (changes) => {
      const { lines, ...summary } = plan.summarize(changes);
      // The summary names skipped variables, because the preview may not have been shown.
      const skipLines = edits.flatMap((one) => (one.action === 'skip' ? `${one.key} skipped: ${one.skipReason}` : []));
      return { ...summary, lines: [...lines, ...skipLines] };
    },
    preview: previewOf(edits, options, context),
    ask: {
      level: actions.includes('delete') ? 'typed' : undefined,
      name: () => readStackTitle(context, options.stack_id),
      details: () => [...actionCountTexts(actions), ...(options.redeploy ? ['then redeploy'] : [])],
    },
  };
}

type SourcedChange = VariableChange & SourcedVariable & Pick<PlannedChange, 'action'>;

function actionOf({ before, value, skipReason }: Omit<SourcedChange, 'action'>): PlannedChange['action'] {
  if (isAsWanted(before, value)) return 'unchanged';
  if (skipReason !== undefined) return 'skip';
  if (value === null) return 'delete';
  return before ? 'update' : 'create';
}

function isChanged({ action }: Pick<SourcedChange, 'action'>): boolean {
  return action !== 'unchanged' && action !== 'skip';
}

function refuseImpossibleChanges(changes: readonly SourcedChange[]): void {
  const refusals = changes.filter(isChanged).flatMap((variable) => refusalOf(variable) ?? []);
  if (refusals.length === 0) return;
  const countText = refusals.length === 1 ? 'one variable' : `${refusals.length} variables`;
  throw new CliError('rejected', `${countText} cannot be changed`, { nothing: 'changed', lines: refusals });
}

function refusalOf({ key, before, refusal, location }: SourcedChange): string | undefined {
  const prefix = location === undefined ? '' : `${location}: `;
  if (refusal !== undefined) return `${prefix}${key}: ${refusal}`;
  if (!isValidKey(key)) return `${prefix}${JSON.stringify(key)} is not a valid environment variable name`;
  return before?.readonly ? `${prefix}${key} is read-only` : undefined;
}

function previewOf(edits: readonly SourcedChange[], options: VariableWrite, context: Context): Preview {
  const { apply_strategy, redeploy } = options;
  const shownEdits = edits.filter(({ action }) => action !== 'unchanged');
  const unchangedCount = edits.length - shownEdits.length;
  const changedCount = edits.filter(isChanged).length;
  return {
    changes: edits.map((variable) => {
      const { key, action, skipReason: reason = null } = variable;
      return { key, action, ...recordedValues(variable, context), reason } as PlannedChange;
    }),
    lines: [
      ...shownEdits.map((variable) => previewLine(variable, context)),
      ...(unchangedCount > 0 ? [`= ${unchangedCount} unchanged`] : []),
    ],
    closing: [
      ...(changedCount > 1 && apply_strategy === undefined ? ['The service may apply each change at once.'] : []),
      ...(changedCount > 0 && redeploy ? ['Then the stack is redeployed once.'] : []),
    ],
  };
}

function previewLine(variable: SourcedChange, { reveal }: Context): string {
  const { key, before, value, action, skipReason } = variable;
  const shownText = (text: string) => displayValue(text, isHidden(variable) && !reveal);
  const [oldText, newText] = [before && shownText(textOrNullWord(before)), shownText(value ?? '')];
  if (action === 'create') return `+ ${key}  ${newText}`;
  if (action === 'update') return `~ ${key}  ${oldText} -> ${newText}`;
  return action === 'delete' ? `- ${key}  ${oldText}` : `! ${key}  skipped: ${skipReason}`;
}

/** Returns the counts of planned actions: `1 to create`, `2 to change`, `1 to delete`. */
export function actionCountTexts(actions: readonly string[]): readonly string[] {
  const verbs = { create: 'create', update: 'change', delete: 'delete' } as const;
  return Object.entries(verbs).flatMap(([action, verb]) => {
    const count = actions.filter((one) => one === action).length;
    return count > 0 ? [`${count} to ${verb}`] : [];
  });
}

type KeyValuePair = { readonly key: string; readonly value: string };

export const pairsField = (pair: Field<string>) =>
  many(pair, pair.about.replace(/\.$/, ', split at the first `=`.'), {
    label: 'KEY=VALUE',
    assigns: [],
    empty: 'KEY= sets an empty one.',
  });

/** A repeated pair counts once. Throws `usage` for other words. `retryWith` is the flag to suggest for a single KEY. */
export function readPairs(words: readonly string[], keyNoun: string, retryWith?: string): readonly KeyValuePair[] {
  const keyOnly = words.find((text) => !text.includes('='));
  if (keyOnly !== undefined) {
    const message = `"${keyOnly}" has no "=": write ${keyOnly}=VALUE`;
    throw new CliError('usage', message, words.length === 1 && retryWith ? { correction: { add: [retryWith] } } : {});
  }
  const pairs = new Map<string, string>();
  for (const { key, value } of words.map((text) => readAssignment(text, keyNoun))) {
    // Two values for one key are refused, because only the user knows which value is right.
    if ((pairs.get(key) ?? value) !== value) throw new CliError('usage', `${key} is given twice with different values`);
    pairs.set(key, value);
  }
  return [...pairs].map(([key, value]) => ({ key, value }));
}

function readAssignment(text: string, keyNoun: string): KeyValuePair {
  const [key, value] = readPair(text);
  if (key === '') throw new CliError('usage', `"${text}" has no ${keyNoun} name: write KEY${text}`);
  return { key: checkKey(key, keyNoun), value };
}

/** Returns the key; throws `usage` for a key that cannot be part of the path of a request. */
export function checkKey(key: string, keyNoun = 'environment variable'): string {
  if (isValidKey(key)) return key;
  throw new CliError('usage', `${JSON.stringify(key)} is not a valid ${keyNoun} name`);
}
