import { cellWidth } from './cell-width.ts';
import { type Cell, gap, painted, type Sheet, trimmedLine } from './sheet.ts';

/** Draws aligned columns in time proportional to the rows, for any number of them and any script. */
export function drawPlainTable({ rows, right, theme }: Sheet): string {
  const widths = columnWidths(rows);
  const line = (row: readonly Cell[]) =>
    row.map((cell, index) => {
      const blanks = ' '.repeat((widths[index] ?? 0) - cellWidth(cell.text));
      return right[index] ? blanks + painted(cell, theme) : painted(cell, theme) + blanks;
    });
  return rows.map((row) => trimmedLine(line(row).join(gap))).join('\n');
}

/** The width of the widest cell of each column, at least 1 as cli-table3 has it. */
export function columnWidths(rows: readonly (readonly Cell[])[]): readonly number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 1, cellWidth(text));
  }
  return widths;
}
