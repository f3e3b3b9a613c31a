import type { RecordType, Row } from '../../contract/record.ts';
import { type Column, columnsOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import type { View } from '../view.ts';
import { cellText, readingOf, toneOf } from './cell.ts';
import { cellWidth, cutToWidth, wrapToWidth } from './cell-width.ts';
import { type FittedColumn, fitColumns } from './fit-columns.ts';
import { drawGrid, suitsGrid } from './grid-table.ts';
import { type Cell, gap, painted, type Sheet, trimmedLine } from './sheet.ts';
import { loadTheme } from './theme.ts';

/** Rows as aligned columns, cut to the width of the terminal; without the last line feed. */
export async function drawTable(record: RecordType, rows: readonly Row[], view: View): Promise<string> {
  const columns = columnsOf(record, view, view.terminal ? rows : []);
  const heading = columns.map((column): Cell => ({ text: column.heading, tone: 'heading' }));
  const body = rows.map((row) => cellsOf(record, columns, row, view));
  const lines = view.header === false ? body : [heading, ...body];
  const sheet: Sheet = { ...fitted(columns, lines, view), theme: await loadTheme(view.colour) };
  return view.terminal && suitsGrid(sheet) ? drawGrid(sheet) : drawPlainTable(sheet);
}

function cellsOf(record: RecordType, columns: readonly Column[], row: Row, view: View): Cell[] {
  const reading = readingOf(view);
  return columns.map(({ path, field }) => {
    const text = shortened(cellText(field, valueAtPath(record.fields, row, path), reading));
    return { text, tone: toneOf(field, text) };
  });
}

/** Tables are for people, also in a pipe; data formats are never cut. */
const longestCell = 500;

function shortened(text: string): string {
  if (text.length <= longestCell) return text;
  // So many code points are always enough to decide.
  const characters = [...text.slice(0, 2 * longestCell + 1)];
  return characters.length > longestCell ? `${characters.slice(0, longestCell - 1).join('')}…` : text;
}

function fitted(columns: readonly Column[], lines: readonly (readonly Cell[])[], view: View): Omit<Sheet, 'theme'> {
  const room = view.terminal ? view.width || 80 : Number.POSITIVE_INFINITY;
  const widths = columnWidths(lines);
  const natural = columns.map((column, index): FittedColumn => ({ column, width: widths[index] ?? 0 }));
  const fitted = fitColumns(natural, room, view.columns !== undefined);
  const places = fitted.map(({ column, width }) => ({ index: columns.indexOf(column), width, wraps: column.wraps }));
  return {
    rows: lines.flatMap((line) => linesOf(places.map((place) => cellLines(line[place.index], place)))),
    right: fitted.map(({ column }) => column.right),
  };
}

const mostLines = 5;

function cellLines({ text, tone }: Cell = { text: '' }, at: { width: number; wraps: boolean }): readonly Cell[] {
  const lines = at.wraps ? wrapToWidth(text, at.width, mostLines) : [cutToWidth(text, at.width)];
  return lines.map((line) => ({ text: line, tone }));
}

function linesOf(cells: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  // Cells without more text are filled with blanks.
  const count = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: count }, (_, index) => cells.map((lines) => lines[index] ?? { text: '' }));
}

/** Draws aligned columns in linear time, for any script. */
export function drawPlainTable({ rows, right, theme }: Sheet): string {
  const widths = columnWidths(rows);
  const line = (row: readonly Cell[]) =>
    row.map((cell, index) => {
      const blanks = ' '.repeat((widths[index] ?? 0) - cellWidth(cell.text));
      return right[index] ? blanks + painted(cell, theme) : painted(cell, theme) + blanks;
    });
  return rows.map((row) => trimmedLine(line(row).join(gap))).join('\n');
}

function columnWidths(rows: readonly (readonly Cell[])[]): readonly number[] {
  // At least 1, as in cli-table3.
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 1, cellWidth(text));
  }
  return widths;
}
