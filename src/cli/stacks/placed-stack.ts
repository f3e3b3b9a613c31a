import type { Row } from '../../contract/command.ts';
import { isObject } from '../../contract/json-object.ts';

export type Input = Readonly<Record<string, unknown>>;

/** One stack, and the places it stands for. */
export interface Placed {
  readonly name: string;
  readonly places: Input;
}

/** Rows that say of which stack they are. */
export function rowsOfStack(stack: string, rows: readonly unknown[]): readonly Row[] {
  return rows.map((row) => (isObject(row) ? { stack, ...row } : { stack, value: row }));
}
