import type { Context } from '../../../contract/command.ts';
import { text } from '../../../contract/field.ts';
import type { Change, ChangeState } from '../../../contract/plan.ts';
import { changeRecord } from '../../../kinds/perform/summary.ts';
import { isSecret, type Variable } from '../../../resources/env.ts';
import { literalText, textOf } from './value.ts';

/** The wanted state of a variable. */
export interface WantedVariable {
  readonly key: string;
  /** Null: to be deleted. */
  readonly value: string | null;
  /** It comes from a variable that is a password. */
  readonly isPassword?: boolean;
}

/** Where new values come from: the command line, one text, a file of variables, another stack, or the variables' own history. */
export type Origin = 'arguments' | 'file' | 'env file' | 'stack' | 'history';

/** One variable before, during and after its change. */
export interface VariableChange extends WantedVariable {
  readonly before: Variable | undefined;
  readonly origin: Origin;
  /** As the service showed it after the change; absent when not shown yet, null when it showed none. */
  after?: Variable | null | undefined;
}

/** The record of a changed variable. */
export const variableChangeRecord = changeRecord(
  { key: text('Name of the environment variable.') },
  { before: text('Its value; `***` for a secret.') },
);

/** Whether a variable has the wanted value. It decides whether a change is needed, was made, or was made without a response. */
export function isAsWanted(variable: Variable | undefined, value: string | null): boolean {
  if (variable === undefined || value === null) return variable === undefined && value === null;
  return textOf(variable) === value;
}

/** The name of the change once it is made. */
export function changeOf({ before, value, origin }: VariableChange): ChangeState {
  if (value === null) return 'deleted';
  if (before === undefined) return 'created';
  return origin === 'history' ? 'rolled_back' : 'updated';
}

/** Whether its values are kept out of sentences and JSON, since logs keep those. */
export function isHidden({ key, value, isPassword = false, before, after, origin }: VariableChange): boolean {
  const asked = { key, value: value ?? '', is_password: isPassword };
  return origin === 'file' || [before, after, asked].some((variable) => variable && isSecret(variable));
}

/** Its current value as far as known; null when deleted. */
export function valueNow({ value, after }: VariableChange): string | null {
  return after === undefined ? value : after && literalText(after);
}

/** Its values in the record of the change. */
export function recordedValues(variable: VariableChange, { reveal }: Context): Pick<Change, 'before' | 'after'> {
  const { before } = variable;
  const shown = (value: string | null) => (value === null || reveal || !isHidden(variable) ? value : '***');
  return { before: shown(before === undefined ? null : literalText(before)), after: shown(valueNow(variable)) };
}
