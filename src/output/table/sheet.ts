import type { Theme, Tone } from './theme.ts';

/** One cell: a line of safe text, and how it is coloured. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** A table ready to be drawn: nothing left to choose, cut or escape. A heading is its first row. */
export interface Sheet {
  readonly rows: readonly (readonly Cell[])[];
  /** Per column, whether it stands on the right. */
  readonly right: readonly boolean[];
  readonly theme: Theme;
}

export const gap = '  ';

export function painted({ text, tone }: Cell, theme: Theme): string {
  return tone ? theme[tone](text) : text;
}

/** A line without the blanks that the last column leaves behind it. */
export function trimmedLine(line: string): string {
  let end = line.length;
  // A pattern such as / +$/ would look at every run of blanks from each of its places.
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}
