import type { Fields, Values } from './field.ts';

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

interface RecordOptions<F extends Fields> extends Partial<Pick<RecordType, 'plural' | 'isSecret' | 'display'>> {
  readonly id?: keyof F & string;
  readonly wrappedColumn?: keyof F & string;
  readonly rareColumn?: keyof F & string;
}

/** The default of `id` is the last column if that is `uid` or `id`, else the first column. */
export function record<const F extends Fields>(
  name: string,
  fields: F,
  columns: readonly (keyof F & string)[],
  more: RecordOptions<F> = {},
): RecordType<F> {
  const [first = ''] = columns;
  const last = columns.at(-1) ?? '';
  const id = ['uid', 'id'].includes(last) ? last : first;
  return { plural: `${name}s`, id, ...more, name, fields, columns };
}
