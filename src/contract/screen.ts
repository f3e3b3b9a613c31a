/** A short text; one that shows a state takes the colour of that state: `{ text: 'x', state: 'failed' }`. */
export type ScreenText = string | { readonly text: string; readonly state: string };

/** One cell: a text, or several that follow each other. */
export type ScreenCell = ScreenText | readonly ScreenText[];

/** Rows below one label. The cells of its rows are aligned; a row of one cell is a sentence, which wraps. */
export interface ScreenBlock {
  readonly label: string;
  readonly rows: readonly (readonly ScreenCell[])[];
}

export function coloured(state: string): ScreenText {
  return { text: state, state };
}
