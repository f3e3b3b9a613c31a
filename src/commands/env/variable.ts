import { changeRecord } from '../../builders/execute/summary.ts';
import { findAmong } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { many, text } from '../../contract/field.ts';
import type { Change, ChangeState } from '../../contract/plan.ts';
import { mask, maskMembers } from '../../contract/values/text.ts';
import type { NamedValues } from '../../env-file/dotenv.ts';
import { attempt, CliError } from '../../errors/cli-error.ts';
import { type ApplyStrategy, isSecret, type Variable, variable } from '../../resources/env.ts';

export const keysField = (about: string) =>
  many(text('Name of an environment variable.', { names: 'environment variable' }), about, { label: 'KEY' });

const maxShownLength = 40;

interface ValueHolder {
  readonly value: string | null;
}

/** A value as text, also where the service sent null. */
export function literalText({ value }: ValueHolder): string {
  return value ?? 'null';
}

/** Null where the service sent none: the type of a row does not tell. */
export function variableText({ value }: ValueHolder): string | null {
  return value ?? null;
}

/** True for the placeholder that some services send for a hidden password; it is never the value. */
export function isPlaceholder(variable: Pick<Variable, 'is_password'> & ValueHolder): boolean {
  return variable.is_password !== false && /^[*•]{3,}$/.test(literalText(variable));
}

/** A value in a sentence: `debug`, `""`, shortened when it is long. A secret is `***`. */
export function displayValue(value: string, secret: boolean): string {
  if (secret) return mask;
  if (value === '') return '""';
  const characters = [...value];
  return characters.length <= maxShownLength ? value : `${characters.slice(0, maxShownLength - 1).join('')}…`;
}

/** Says which variables are left out, because their values are not known. */
export function warnOfMissing(
  context: Context,
  missing: readonly Pick<Variable, 'key'>[],
  why = 'the service sends *** instead of the value',
): void {
  if (missing.length > 0) context.warn(`left out, because ${why}: ${missing.map(({ key }) => key).join(', ')}`);
}

/** Values by name; those that the service hides, or that are null, are left out with a warning. */
export function knownValues(context: Context, rows: readonly Variable[]): NamedValues {
  const [hidden, empty] = [rows.filter(isPlaceholder), rows.filter((row) => variableText(row) === null)];
  warnOfMissing(context, hidden);
  warnOfMissing(context, empty, 'the value is null');
  const known = rows.filter((row) => !hidden.includes(row) && !empty.includes(row));
  return new Map(known.map((row) => [row.key, literalText(row)]));
}

export interface WantedVariable {
  readonly key: string;
  /** Null deletes the variable. */
  readonly value: string | null;
  /** True for the value of a variable that is a password. */
  readonly isPassword?: boolean;
}

/** The source of new values. */
export type Origin = 'arguments' | 'file' | 'env file' | 'stack' | 'history';

/** One variable before, during and after its change. */
export interface VariableChange extends WantedVariable {
  readonly before: Variable | undefined;
  readonly origin: Origin;
  /** As the service showed it after the change; absent when not shown yet, null when it showed none. */
  after?: Variable | null | undefined;
}

export interface VariableWrite {
  readonly stack_id: string;
  readonly known: readonly Variable[];
  readonly origin: Origin;
  /** The time at which the service applies the changes; the service decides by default. */
  readonly apply_strategy?: ApplyStrategy | undefined;
  readonly redeploy?: boolean | undefined;
  /** The old value is useless, so `history undo` refuses this change. */
  readonly isFinal?: true;
  /** Runs right before a variable is written; throws to leave it unchanged. */
  readonly check?: (variable: VariableChange) => Promise<void>;
}

export const variableChangeRecord = changeRecord(
  { key: text('Name of the environment variable.') },
  { before: text('Its value; `***` for a secret.') },
);

/** True if a variable has the wanted value: it needs no change, or the change was made. */
export function isAsWanted(variable: Variable | undefined, value: string | null): boolean {
  if (variable === undefined || value === null) return variable === undefined && value === null;
  return variableText(variable) === value;
}

export function changeOf({ before, value, origin }: VariableChange): ChangeState {
  if (value === null) return 'deleted';
  if (before === undefined) return 'created';
  return origin === 'history' ? 'rolled_back' : 'updated';
}

/** True if sentences and JSON must not show the values, because logs keep them. */
export function isHidden({ key, value, isPassword = false, before, after, origin }: VariableChange): boolean {
  const asked = { key, value: value ?? '', is_password: isPassword };
  // A new value read from stdin or a file is probably a secret.
  const isUnknown = origin === 'file' && before === undefined;
  return isUnknown || [before, after, asked].some((variable) => variable && isSecret(variable));
}

/** Null where there was none. */
export function valueBefore({ before }: VariableChange): string | null {
  return before ? literalText(before) : null;
}

/** The current value as far as known; null when deleted. */
export function valueNow({ value, after }: VariableChange): string | null {
  return after === undefined ? value : after && literalText(after);
}

export function recordedValues(variable: VariableChange, { reveal }: Context): Pick<Change, 'before' | 'after'> {
  const values = { before: valueBefore(variable), after: valueNow(variable) };
  return reveal || !isHidden(variable) ? values : maskMembers(values);
}

/** The owner of a value. `locked`: the service, and no one may change it. */
export const owners = ['user', 'generated', 'locked'] as const;

export function ownerOf({ readonly, is_generated }: Variable): (typeof owners)[number] {
  if (readonly) return 'locked';
  return is_generated ? 'generated' : 'user';
}

type Named = { readonly key: string; readonly stack_id: string };

/** Finds a variable by its key. Throws not_found, which mentions a deletion from this machine. */
export async function findVariable(context: Context, known: readonly Variable[], target: Named): Promise<Variable> {
  const found = attempt(() => findAmong(variable, known, target.key, target));
  if (!(found instanceof CliError)) return found;
  const { deletionOf } = await import('../history/runs.ts');
  const { text, ...details } = deletionOf(context, target) ?? {};
  throw text === undefined ? found : new CliError('not_found', text, { ...found.details, ...details });
}
