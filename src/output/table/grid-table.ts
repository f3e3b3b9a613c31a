import type { Theme, Tone } from './theme.ts';

/** A line of safe text, and the tone that gives it a colour. */
export interface Cell {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** A table whose texts have their final width. The heading is the first row. */
export interface FittedTable {
  readonly rows: readonly (readonly Cell[])[];
  readonly right: readonly boolean[];
  readonly theme: Theme;
}

export const columnGap = '  ';

export function paintCell({ text, tone }: Cell, theme: Theme): string {
  return tone ? theme[tone](text) : text;
}

export function trimLine(line: string): string {
  let end = line.length;
  // A loop is used, because / +$/ takes quadratic time on runs of blanks.
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end);
}

const loadTableLibrary = () => import('cli-table3');

export function preloadTableLibrary(): void {
  // A failure is ignored here, because `drawGrid` imports the same module again and reports it.
  loadTableLibrary().catch(() => undefined);
}

/** Maximum rows for cli-table3, which takes quadratic time: 0.2 s for a thousand rows, 5 s for eight thousand. */
const maxRows = 500;
/** Matches a text whose width is the same in terminals and in cli-table3, which has a width table from 2019. */
const measurablePattern =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2022\u2026\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]*$/;

export function canDrawGrid({ rows }: FittedTable): boolean {
  if (rows.length > maxRows + 1) return false;
  return rows.every((row) => row.every(({ text }) => measurablePattern.test(text)));
}

const borderNames =
  'top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid';

/** Draws with cli-table3, with the same result as `drawPlainTable`. */
export async function drawGrid({ rows, right, theme }: FittedTable): Promise<string> {
  const { default: Table } = await loadTableLibrary();
  const table = new Table({
    chars: { ...Object.fromEntries(borderNames.split(' ').map((name) => [name, ''])), middle: columnGap },
    // `head` and `border` are empty, because cli-table3 would otherwise add colours, even in a pipe.
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    colAligns: right.map((isRight) => (isRight ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map((cell) => paintCell(cell, theme))));
  return table.toString().split('\n').map(trimLine).join('\n');
}
