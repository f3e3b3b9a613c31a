import type { Fields, Values } from './field.ts';

/** A named shape the service sends. The first column is what the next command needs: a key, a UID, an id. */
export interface RecordType<F extends Fields = any> {
  readonly name: string;
  readonly plural: string;
  readonly fields: F;
  /** Default columns by falling importance: the last ones go first when the terminal is narrow. */
  readonly columns: readonly string[];
}

/** One row of a list, whatever its record. */
export type Row = Readonly<Record<string, unknown>>;

/** The value of a record: `RecordOf<typeof Variant>` is `{ uid: string; ... }`. */
export type RecordOf<R> = R extends RecordType<infer F> ? Values<F> : never;

/** `record('tag', { value: text('Tag.') }, ['value'])`: name, fields, default columns. */
export function record<const F extends Fields>(
  name: string,
  fields: F,
  columns: readonly (keyof F & string)[],
  more: { readonly plural?: string } = {},
): RecordType<F> {
  return { plural: `${name}s`, ...more, name, fields, columns };
}
