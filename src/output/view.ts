import type { Filter } from './where.ts';

/** The forms a result can take; `--output` knows them by these names. */
export const formats = ['table', 'tsv', 'csv', 'json', 'yaml', 'ndjson'] as const;
export type Format = (typeof formats)[number];

/** How the person or program at the other end wants to see a result. */
export interface View {
  readonly format: Format;
  /** Whether stdout is a terminal. */
  readonly terminal: boolean;
  /** Columns of the terminal; 0 when it does not say. */
  readonly width: number;
  /** Lines of the terminal; without it there is no end. */
  readonly height?: number;
  readonly colour: boolean;
  readonly quiet: boolean;
  /** Shows secrets in tables and details. */
  readonly reveal: boolean;
  /** Undefined: tables and CSV have a heading, tab-separated rows have none. */
  readonly header?: boolean;
  readonly columns?: readonly string[];
  /** The flag that chose the columns, as it was typed. */
  readonly chosenBy?: '--fields' | '--columns';
  readonly fields?: readonly string[];
  /** Which rows are kept; a limit acts on what is left. */
  readonly where?: readonly Filter[];
  /** A field name, `-` in front for descending. */
  readonly sort?: string;
  readonly limit?: number;
  /** CSV without the quote in front of what a spreadsheet would run. */
  readonly csvRaw?: boolean;
  /** `--output csv` or `tsv` was typed: what was done is shown as rows then, where otherwise a sentence tells it. */
  readonly asRows?: true;
  /** An expression of jq that makes the output from the JSON. */
  readonly jq?: string;
  readonly now: Date;
  /** For what people read: without credentials. */
  readonly redact: (text: string) => string;
}

/** Whether the result is shown as the service sent it: whole, nothing masked, nothing put into words. */
export function showsData({ format }: Pick<View, 'format'>): boolean {
  return format === 'json' || format === 'yaml' || format === 'ndjson';
}

/** Whether stdout is read as JSON; then stderr is, too. */
export function speaksJson({ format }: View): boolean {
  return format === 'json' || format === 'ndjson';
}
