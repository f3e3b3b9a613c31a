import type { Context } from '../../contract/command.ts';
import type { Plan, PlannedChange, Preview } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readPair } from '../../fields/read-value.ts';
import { isValidKey } from '../../resources/env.ts';
import { describeStack } from '../../resources/stack.ts';
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

/** A variable to change, with its line in the source. */
export interface SourcedVariable extends WantedVariable {
  /** `.env line 3`; absent where the source has no places. */
  readonly location?: string;
  /** The reason why the variable stays unchanged. */
  readonly skipped?: string;
  /** The reason why the variable cannot be set. */
  readonly refused?: string;
}

/**
 * Plans a whole set of changes of variables: everything impossible is refused at once, the plan is shown, and a set that
 * deletes is confirmed by typing the name of the stack. Throws rejected with one line for each refusal.
 */
export function planChangeSet(context: Context, set: readonly SourcedVariable[], writing: VariableWrite): Plan {
  const all = variableChanges(set, writing).map((sourced): Sourced => ({ ...sourced, action: actionOf(sourced) }));
  refuseImpossible(all);
  const wanted = set.filter(({ skipped }) => skipped === undefined);
  const plan = planVariables(context, wanted, writing);
  return {
    ...plan,
    summarize: (changes) => {
      const { lines, ...said } = plan.summarize(changes);
      // Skipped variables are noted even if no plan was shown.
      const left = all.filter(({ action }) => action === 'skip');
      return { ...said, lines: [...lines, ...left.map(({ key, skipped }) => `${key} skipped: ${skipped}`)] };
    },
    preview: previewOf(all, writing, context),
    ask: {
      level: all.some(({ action }) => action === 'delete') ? 'typed' : undefined,
      name: () => describeStack(context, writing.stack_id),
      details: () => [...countsOf(all.map(({ action }) => action)), ...(writing.redeploy ? ['then redeploy'] : [])],
    },
  };
}

type Sourced = VariableChange & SourcedVariable & Pick<PlannedChange, 'action'>;

function actionOf({ before, value, skipped }: Omit<Sourced, 'action'>): PlannedChange['action'] {
  if (isAsWanted(before, value)) return 'unchanged';
  if (skipped !== undefined) return 'skip';
  if (value === null) return 'delete';
  return before ? 'update' : 'create';
}

function isChanged({ action }: Pick<Sourced, 'action'>): boolean {
  return action !== 'unchanged' && action !== 'skip';
}

function refuseImpossible(all: readonly Sourced[]): void {
  const refused = all.filter(isChanged).flatMap((variable) => {
    const reason = refusalOf(variable);
    return reason === undefined ? [] : [variable.location === undefined ? reason : `${variable.location}: ${reason}`];
  });
  if (refused.length === 0) return;
  const count = refused.length === 1 ? 'one variable' : `${refused.length} variables`;
  throw new CliError('rejected', `${count} cannot be changed`, { nothing: 'changed', lines: refused });
}

function refusalOf({ key, before, refused }: Sourced): string | undefined {
  if (refused !== undefined) return `${key}: ${refused}`;
  if (!isValidKey(key)) return `${JSON.stringify(key)} is not a valid environment variable name`;
  return before?.readonly ? `${key} is read-only` : undefined;
}

function previewOf(all: readonly Sourced[], { apply_strategy, redeploy }: VariableWrite, context: Context): Preview {
  const unchanged = all.filter(({ action }) => action === 'unchanged').length;
  const changed = all.filter(isChanged).length;
  return {
    changes: all.map((variable) => {
      const { key, action, skipped: reason = null } = variable;
      return { key, action, ...recordedValues(variable, context), reason } as PlannedChange;
    }),
    lines: [
      ...all.flatMap((variable) => previewLine(variable, context)),
      ...(unchanged > 0 ? [`= ${unchanged} unchanged`] : []),
    ],
    closing: [
      ...(changed > 1 && apply_strategy === undefined ? ['The service may apply each change at once.'] : []),
      ...(changed > 0 && redeploy ? ['Then the stack is redeployed once.'] : []),
    ],
  };
}

function previewLine(variable: Sourced, { reveal }: Context): readonly string[] {
  const { key, before, value, skipped } = variable;
  const shown = (text: string) => displayValue(text, isHidden(variable) && !reveal);
  const was = before && shown(literalText(before));
  switch (variable.action) {
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
export function countsOf(planned: readonly string[]): readonly string[] {
  const actions = { create: 'create', update: 'change', delete: 'delete' } as const;
  return Object.entries(actions).flatMap(([action, words]) => {
    const count = planned.filter((one) => one === action).length;
    return count > 0 ? [`${count} to ${words}`] : [];
  });
}

export interface TypedAssignment {
  readonly key: string;
  readonly value: string;
}

interface AssignmentInput {
  readonly assignments: readonly string[];
  readonly stdin?: boolean;
  readonly from_file?: string;
  readonly raw?: boolean;
  readonly allow_empty?: boolean;
}

/** `KEY=VALUE…`, or one KEY whose value comes from stdin or a file. Keys and values stay as typed. */
export async function readTypedAssignments(
  context: Context,
  input: AssignmentInput,
): Promise<readonly TypedAssignment[]> {
  if (!input.stdin && input.from_file === undefined)
    return readPairs(input.assignments, 'environment variable', '--stdin');
  const [key = '', ...more] = input.assignments;
  if (input.stdin && input.from_file !== undefined) throw new CliError('usage', 'use --stdin or --from-file, not both');
  if (more.length > 0 || key.includes('=')) {
    throw new CliError(
      'usage',
      `--stdin and --from-file set one variable: give only its name, not "${more[0] ?? key}"`,
    );
  }
  const text = await context.readText(input.from_file ?? '-');
  const value = input.raw ? text : text.replace(/\r?\n$/, '');
  if (value === '' && !input.allow_empty) {
    throw new CliError('usage', `the value read for ${key} is empty`, {
      nothing: 'changed',
      correction: { add: ['--allow-empty'] },
    });
  }
  return [{ key: checkKey(key), value }];
}

/**
 * `KEY=VALUE…`, split at the first `=`. A repeated pair counts once. Throws usage for anything else; `kind` is the noun in
 * messages, and `retryWith` the flag to suggest for a single KEY without a value.
 */
export function readPairs(texts: readonly string[], kind: string, retryWith?: string): readonly TypedAssignment[] {
  const bare = texts.find((text) => !text.includes('='));
  if (bare === undefined) return unique(texts.map((text) => split(text, kind)));
  const message = `"${bare}" has no "=": write ${bare}=VALUE`;
  throw new CliError('usage', message, texts.length === 1 && retryWith ? { correction: { add: [retryWith] } } : {});
}

function split(text: string, kind: string): TypedAssignment {
  const [key, value] = readPair(text);
  if (key === '') throw new CliError('usage', `"${text}" has no ${kind} name: write KEY${text}`);
  return { key: checkKey(key, kind), value };
}

/** Throws usage for a name that cannot stand in the path of a request. */
export function checkKey(key: string, kind = 'environment variable'): string {
  if (isValidKey(key)) return key;
  throw new CliError('usage', `${JSON.stringify(key)} is not a valid ${kind} name`);
}

function unique(assignments: readonly TypedAssignment[]): readonly TypedAssignment[] {
  const values = new Map<string, string>();
  for (const { key, value } of assignments) {
    // Only the operator knows which is right.
    if (values.has(key) && values.get(key) !== value)
      throw new CliError('usage', `${key} is given twice with different values`);
    values.set(key, value);
  }
  return [...values].map(([key, value]) => ({ key, value }));
}
