import type { Fields, Values } from './field.ts';

/** A named type of objects that the service sends. */
export interface RecordType<F extends Fields = any> {
  readonly name: string;
  readonly plural: string;
  readonly fields: F;
  /** Default columns. A narrow terminal drops the last columns, so the most important come first, a UID last. */
  readonly columns: readonly string[];
  /** The field that identifies a row and that `-q` prints: a key, UID or ID. */
  readonly id: string;
  /** The column of sentences or commands. A narrow terminal wraps this column and cuts the other columns. */
  readonly wrappedColumn?: string;
  /** A boolean column that only a terminal shows, and only if it is true in some row. */
  readonly rareColumn?: string;
  /** True for a row whose secrets are masked. By default that is every row without `is_password: false`. */
  readonly isSecret?: (row: Row) => boolean;
  /** Returns the row as tables show it. JSON and CSV show the row as it was sent. */
  readonly display?: (row: any) => Row;
}

export type Row = Readonly<Record<string, unknown>>;

/** The type of a value of a record type: `RecordOf<typeof Variant>` is `{ uid: string; ... }`. */
export type RecordOf<R> = R extends RecordType<infer F> ? Values<F> : never;

/** Declares a record type: `record('tag', { value: text('Tag.') }, ['value'])`. Its `id` is the first column. */
export function record<const F extends Fields>(
  name: string,
  fields: F,
  columns: readonly (keyof F & string)[],
  more: {
    readonly plural?: string;
    readonly id?: keyof F & string;
    readonly wrappedColumn?: keyof F & string;
    readonly rareColumn?: keyof F & string;
    readonly isSecret?: (row: Row) => boolean;
    readonly display?: (row: any) => Row;
  } = {},
): RecordType<F> {
  return { plural: `${name}s`, id: columns[0] ?? '', ...more, name, fields, columns };
}
