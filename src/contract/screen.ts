/** A short text, in the colour of its state: `{ text: 'x', state: 'failed' }`. */
export type ScreenText = string | { readonly text: string; readonly state: string };

export type ScreenCell = ScreenText | readonly ScreenText[];

/** Rows below one label, with aligned cells. A row of one cell is a sentence, which wraps. */
export interface ScreenBlock {
  readonly label: string;
  readonly rows: readonly (readonly ScreenCell[])[];
}

export function coloured(state: string): ScreenText {
  return { text: state, state };
}
