import type { Theme, Tone } from './theme.ts';

/** One cell: a line of safe text and its colour. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** A table with final texts. The heading is its first row. */
export interface Sheet {
  readonly rows: readonly (readonly Cell[])[];
  /** For each column, true if it is right-aligned. */
  readonly right: readonly boolean[];
  readonly theme: Theme;
}

export const gap = '  ';

export function painted({ text, tone }: Cell, theme: Theme): string {
  return tone ? theme[tone](text) : text;
}

/** The line without trailing blanks. */
export function trimmedLine(line: string): string {
  let end = line.length;
  // A loop, because / +$/ takes quadratic time on runs of blanks.
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}
