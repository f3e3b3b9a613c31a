import { changeRecord } from '../../builders/execute/summary.ts';
import { findAmong } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { many, text } from '../../contract/field.ts';
import type { Change, ChangeState } from '../../contract/plan.ts';
import { mask, maskMembers } from '../../contract/values/text.ts';
import type { NamedValues } from '../../env-file/dotenv.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { type ApplyStrategy, isSecretVariable, type Variable, variable } from '../../resources/env.ts';

export const keysField = (about: string) =>
  many(text('Name of an environment variable.', { nameKind: 'environment variable' }), about, { label: 'KEY' });

const maxShownLength = 40;

type ValueHolder = Pick<WantedVariable, 'value'>;

export function textOrNullWord({ value }: ValueHolder): string {
  return value ?? 'null';
}

/** Returns a value; null if the service sent null, although the type of a row excludes null. */
export function valueOrNull({ value }: ValueHolder): string | null {
  return value ?? null;
}

/** True if the value is only the placeholder that some services send for a hidden password. */
export function isPlaceholder(variable: Pick<Variable, 'is_password'> & ValueHolder): boolean {
  return variable.is_password !== false && /^[*•]{3,}$/.test(textOrNullWord(variable));
}

/** Returns a value for a sentence: `debug`, `""`, shortened if it is long, `***` for a secret. */
export function displayValue(value: string, isSecretValue: boolean): string {
  if (isSecretValue) return mask;
  if (value === '') return '""';
  const characters = [...value];
  return characters.length <= maxShownLength ? value : `${characters.slice(0, maxShownLength - 1).join('')}…`;
}

const hiddenReason = 'the service sends *** instead of the value';

export function warnOfOmitted(context: Context, rows: readonly Pick<Variable, 'key'>[], why = hiddenReason): void {
  if (rows.length > 0) context.warn(`left out, because ${why}: ${rows.map(({ key }) => key).join(', ')}`);
}

/** Returns the values by name. Values that are hidden or null are left out with a warning. */
export function knownValues(context: Context, rows: readonly Variable[]): NamedValues {
  const [hiddenRows, nullRows] = [rows.filter(isPlaceholder), rows.filter((row) => valueOrNull(row) === null)];
  warnOfOmitted(context, hiddenRows);
  warnOfOmitted(context, nullRows, 'the value is null');
  const shownRows = rows.filter((row) => !hiddenRows.includes(row) && !nullRows.includes(row));
  return new Map(shownRows.map((row) => [row.key, textOrNullWord(row)]));
}

export interface WantedVariable {
  readonly key: string;
  /** Null deletes the variable. */
  readonly value: string | null;
  readonly isPassword?: boolean;
}

export type Origin = 'arguments' | 'file' | 'env file' | 'stack' | 'history';

export interface VariableChange extends WantedVariable {
  readonly before: Variable | undefined;
  readonly origin: Origin;
  /** The variable as the service showed it after the change: undefined if not shown yet, null if missing. */
  after?: Variable | null | undefined;
}

export interface VariableWrite {
  readonly stack_id: string;
  readonly oldRows: readonly Variable[];
  readonly origin: Origin;
  /** When the service applies the changes; by default the service decides. */
  readonly apply_strategy?: ApplyStrategy | undefined;
  readonly redeploy?: boolean | undefined;
  /** True if the old value is useless after the write, as for a password, so `history undo` refuses the change. */
  readonly isFinal?: true;
  /** Runs right before a variable is written; throws to leave the variable unchanged. */
  readonly check?: (variable: VariableChange) => Promise<void>;
}

export const variableChangeRecord = changeRecord(
  { key: text('Name of the environment variable.') },
  { before: text('Its value; `***` for a secret.') },
);

/** True if a variable has the wanted value, or if the variable neither exists nor is wanted. */
export function isAsWanted(variable: Variable | undefined, value: string | null): boolean {
  if (variable === undefined || value === null) return variable === undefined && value === null;
  return valueOrNull(variable) === value;
}

export function changeStateOf({ before, value, origin }: VariableChange): ChangeState {
  if (value === null) return 'deleted';
  if (before === undefined) return 'created';
  return origin === 'history' ? 'rolled_back' : 'updated';
}

/** True if sentences and JSON must not show the values, because logs keep them. */
export function isHidden({ key, value, isPassword = false, before, after, origin }: VariableChange): boolean {
  const wantedRow = { key, value: value ?? '', is_password: isPassword };
  // A new value read from stdin or a file is probably a secret.
  const isNewFromFile = origin === 'file' && before === undefined;
  return isNewFromFile || [before, after, wantedRow].some((variable) => variable && isSecretVariable(variable));
}

export function valueBefore({ before }: VariableChange): string | null {
  return before ? textOrNullWord(before) : null;
}

/** Returns the value after the change, as the service showed it, else as requested; null if there is no variable. */
export function valueNow({ value, after }: VariableChange): string | null {
  return after === undefined ? value : after && textOrNullWord(after);
}

export function recordedValues(variable: VariableChange, { reveal }: Context): Pick<Change, 'before' | 'after'> {
  const values = { before: valueBefore(variable), after: valueNow(variable) };
  return reveal || !isHidden(variable) ? values : maskMembers(values);
}

/** The owners of a value. `locked`: the service owns the value, and a user cannot change it. */
export const owners = ['user', 'generated', 'locked'] as const;

export function ownerOf({ readonly, is_generated }: Variable): (typeof owners)[number] {
  if (readonly) return 'locked';
  return is_generated ? 'generated' : 'user';
}

type VariableTarget = { readonly key: string; readonly stack_id: string };

/** Finds a variable by key. Throws `not_found` for an unknown key; its message tells of a deletion by this machine. */
export async function findVariable(context: Context, rows: readonly Variable[], target: VariableTarget) {
  const result = attempt(() => findAmong(variable, rows, target.key, target));
  if (!(result instanceof CliError)) return result;
  const { deletionNotice } = await import('../history/runs.ts');
  const { text, ...details } = deletionNotice(context, target) ?? {};
  throw text === undefined ? result : new CliError('not_found', text, { ...result.details, ...details });
}
