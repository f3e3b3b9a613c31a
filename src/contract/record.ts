import type { Fields, Values } from './field.ts';

/** A named shape that the service sends. */
export interface RecordType<F extends Fields = any> {
  readonly name: string;
  readonly plural: string;
  readonly fields: F;
  /** Default columns, most important first: a narrow terminal drops the last ones. A name comes first, a UID last. */
  readonly columns: readonly string[];
  /** The field that identifies a row and that `-q` prints: a key, UID or ID. */
  readonly id: string;
  /** The column of sentences or commands: a narrow terminal wraps it and cuts the others. */
  readonly wraps?: string;
  /** A flag among the columns: only a terminal shows it, and only when a row has it set. */
  readonly rare?: string;
  /** True for a row with a secret to mask; by default every row without `is_password: false`. */
  readonly isSecret?: (row: Row) => boolean;
  /** The row as tables show it; JSON and CSV show it as it was sent. */
  readonly display?: (row: any) => Row;
}

export type Row = Readonly<Record<string, unknown>>;

/** The value of a record: `RecordOf<typeof Variant>` is `{ uid: string; ... }`. */
export type RecordOf<R> = R extends RecordType<infer F> ? Values<F> : never;

/** `record('tag', { value: text('Tag.') }, ['value'])`: name, fields, columns. The first column is the default ID. */
export function record<const F extends Fields>(
  name: string,
  fields: F,
  columns: readonly (keyof F & string)[],
  more: {
    readonly plural?: string;
    readonly id?: keyof F & string;
    readonly wraps?: keyof F & string;
    readonly rare?: keyof F & string;
    readonly isSecret?: (row: Row) => boolean;
    readonly display?: (row: any) => Row;
  } = {},
): RecordType<F> {
  return { plural: `${name}s`, id: columns[0] ?? '', ...more, name, fields, columns };
}
