/** Whole texts for the two streams; each is empty or ends with a line end. */
export interface Rendered {
  readonly out: string;
  readonly err: string;
}

export const silence: Rendered = { out: '', err: '' };

/** A text without its last line feed, for stdout. */
export function onlyOut(text: string): Rendered {
  return { out: `${text}\n`, err: '' };
}
