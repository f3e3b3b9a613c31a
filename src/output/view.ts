/** The output formats, by their names for `--output`. */
export const outputFormats = ['table', 'tsv', 'csv', 'md', 'json', 'yaml', 'ndjson'] as const;
export type Format = (typeof outputFormats)[number];

/** One `--where FIELD=VALUE`. A row must match every filter. */
export interface Filter {
  /** Field name, dotted within groups. */
  readonly path: string;
  readonly operator: '=' | '!=' | '~' | '<' | '>';
  readonly value: string;
}

/** The requested form of a result. */
export interface View {
  readonly format: Format;
  readonly terminal: boolean;
  /** Columns of the terminal; 0 if unknown. */
  readonly width: number;
  /** Lines of the terminal; undefined means unlimited. */
  readonly height?: number;
  readonly colour: boolean;
  readonly quiet: boolean;
  /** Shows secrets instead of `***`. */
  readonly reveal: boolean;
  /** Undefined: tables and CSV have a heading, tab-separated rows have none. */
  readonly header?: boolean;
  /** Tables cut no cell. */
  readonly whole?: true;
  readonly columns?: readonly string[];
  readonly chosenBy?: '--fields' | '--columns';
  readonly fields?: readonly string[];
  /** Filters for rows, applied before the limit. */
  readonly where?: readonly Filter[];
  /** A field name; a leading `-` means descending. */
  readonly sort?: string;
  readonly limit?: number;
  /** CSV without the quotes that keep a spreadsheet from running cells. */
  readonly csvRaw?: boolean;
  /** True for a typed `--output csv` or `tsv`: changes are printed as rows instead of sentences. */
  readonly asRows?: true;
  readonly jq?: string;
  readonly now: Date;
  /** Removes credentials from text for people. */
  readonly redact: (text: string) => string;
}

/** True if the result is printed as data: complete, without words for codes. */
export function showsData({ format }: Pick<View, 'format'>): boolean {
  return format === 'json' || format === 'yaml' || format === 'ndjson';
}

/** True if stdout is JSON; stderr is then JSON, too. */
export function speaksJson({ format }: View): boolean {
  return format === 'json' || format === 'ndjson';
}
