/** How the person or program at the other end wants to see a result. */
export interface View {
  readonly format: 'table' | 'tsv' | 'json';
  /** Whether stdout is a terminal. */
  readonly terminal: boolean;
  /** Columns of the terminal; 0 when it does not say. */
  readonly width: number;
  readonly colour: boolean;
  readonly quiet: boolean;
  /** Shows secrets on a terminal. */
  readonly reveal: boolean;
  /** Undefined: tables have a heading, tab-separated rows have none. */
  readonly header?: boolean;
  readonly columns?: readonly string[];
  readonly fields?: readonly string[];
  /** A field name, `-` in front for descending. */
  readonly sort?: string;
  readonly limit?: number;
  readonly now: Date;
}
