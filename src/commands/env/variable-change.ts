import type { Context } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import type { Change, ChangeState } from '../../contract/plan.ts';
import { changeRecord } from '../../kinds/perform/change-record.ts';
import type { Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting.ts';
import { isSecret } from './value.ts';

/** A variable as it is to be. */
export interface WantedVariable {
  readonly key: string;
  /** Null: deleted. */
  readonly value: string | null;
}

/** Where new values come from: the command line, stdin or a file, or the variables' own history. */
export type Origin = 'arguments' | 'file' | 'history';

/** One variable before, during and after its change. */
export interface VariableChange extends WantedVariable {
  readonly before: Variable | undefined;
  readonly origin: Origin;
  /** As the service showed it after the change; absent: not seen yet, or deleted. */
  after?: Variable | undefined;
}

/** What is printed of a change of variables. */
export const variableChangeRecord = changeRecord(
  { key: text('Name of the variable.') },
  { before: text('Its value; `***` for a secret.') },
);

/** Whether a variable is as wanted: the one rule for a change that is idle, made, or made without a response. */
export function isAsWanted(variable: Variable | undefined, value: string | null): boolean {
  return (variable === undefined ? null : settingText(variable.value)) === value;
}

/** What its change is called once it is made. */
export function changeOf({ before, value, origin }: VariableChange): ChangeState {
  if (value === null) return 'deleted';
  if (before === undefined) return 'created';
  return origin === 'history' ? 'rolled_back' : 'updated';
}

/** Whether its values are kept out of sentences and JSON, since logs keep those. */
export function isHidden({ key, value, before, after, origin }: VariableChange): boolean {
  const asked = { key, value: value ?? '', is_password: false };
  return origin === 'file' || [before, after, asked].some((variable) => variable !== undefined && isSecret(variable));
}

/** Its value now, as far as that is known; null: deleted. */
export function valueNow({ value, after }: VariableChange): string | null {
  return after === undefined ? value : settingText(after.value);
}

/** Its values in the record of the change. */
export function recordedValues(variable: VariableChange, { reveal }: Context): Pick<Change, 'before' | 'after'> {
  const { before } = variable;
  const shown = (value: string | null) => (value === null || reveal || !isHidden(variable) ? value : '***');
  return { before: shown(before === undefined ? null : settingText(before.value)), after: shown(valueNow(variable)) };
}
