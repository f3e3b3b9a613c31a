export const outputFormats = ['table', 'tsv', 'csv', 'md', 'json', 'yaml', 'ndjson'] as const;
export type Format = (typeof outputFormats)[number];

/** One `--where FIELD=VALUE`. A row must match every filter. */
export interface Filter {
  /** The path of a field: its name, or `group.name` within a group. */
  readonly path: string;
  readonly operator: '=' | '!=' | '~' | '<' | '>';
  readonly value: string;
}

/** How a result is printed, as requested by flags, settings and the terminal. */
export interface View {
  readonly format: Format;
  readonly terminal: boolean;
  /** Columns of the terminal; 0 if unknown. */
  readonly width: number;
  /** Lines of the terminal; undefined if output may have any number of lines. */
  readonly height?: number | undefined;
  readonly colour: boolean;
  readonly quiet: boolean;
  /** True to show secrets instead of `***`. */
  readonly reveal: boolean;
  /** True to print a heading. If undefined, tables and CSV have a heading, and tab-separated rows have none. */
  readonly header?: boolean | undefined;
  /** True to print every cell of a table uncut. */
  readonly uncut?: boolean | undefined;
  readonly columns?: readonly string[];
  readonly chosenBy?: '--fields' | '--columns';
  readonly fields?: readonly string[];
  /** Filters for rows, applied before the limit. */
  readonly where?: readonly Filter[] | undefined;
  /** A field name; a leading `-` means descending. */
  readonly sort?: string | undefined;
  readonly limit?: number | undefined;
  /** True to print CSV without the quote that stops a spreadsheet from running a cell as a formula. */
  readonly csvRaw?: boolean;
  /** True if the user typed `--output csv` or `tsv`. Changes are then printed as rows instead of sentences. */
  readonly asRows?: boolean;
  readonly jq?: string | undefined;
  readonly now: Date;
  /** Removes credentials from human-readable text. */
  readonly redact: (text: string) => string;
}

/** True for JSON, YAML and NDJSON. These have the complete value, with codes instead of words. */
export function hasDataFormat({ format }: Pick<View, 'format'>): boolean {
  return format === 'json' || format === 'yaml' || format === 'ndjson';
}

/** True for JSON and NDJSON. Errors on stderr can then be JSON, too. */
export function hasJsonFormat({ format }: View): boolean {
  return format === 'json' || format === 'ndjson';
}
