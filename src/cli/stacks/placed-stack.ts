import type { Row } from '../../contract/command.ts';
import { isRow } from '../../output/field-path.ts';

export type Input = Readonly<Record<string, unknown>>;

/** One stack, and the places it stands for. */
export interface Placed {
  readonly name: string;
  readonly places: Input;
}

/** Rows that say of which stack they are. */
export function rowsOfStack(stack: string, rows: readonly unknown[]): readonly Row[] {
  return rows.map((row) => (isRow(row) ? { stack, ...row } : { stack, value: row }));
}
