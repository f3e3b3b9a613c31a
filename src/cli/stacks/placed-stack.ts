import type { Input } from '../../contract/field.ts';
import type { Row } from '../../contract/record.ts';
import { isObject } from '../../contract/values/json-object.ts';
import { asSent, standIn } from '../../contract/values/sent.ts';

/** Stacks that are read at once. */
export const stacksAtOnce = 8;

/** One stack, and the places it stands for. */
export interface Placed {
  readonly name: string;
  readonly places: Input;
}

/** Rows that say of which stack they are. */
export function rowsOfStack(stack: string, rows: readonly unknown[]): readonly Row[] {
  return rows.map((row) => {
    if (!isObject(row)) return { stack, value: row };
    const sent = asSent(row);
    return sent === row ? { stack, ...row } : standIn({ stack, ...row }, { stack, ...(sent as Row) });
  });
}
