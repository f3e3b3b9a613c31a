import type { RecordType, Row } from '../../contract/record.ts';
import { shortHash } from '../../contract/values/text.ts';
import { type Column, columnsOf, isName } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import type { View } from '../view.ts';
import { cellText, toneOf } from './cell.ts';
import { cellWidth, cutToWidth, wrapToWidth } from './cell-width.ts';
import { type Cell, drawGrid, gap, painted, type Sheet, suitsGrid, trimmedLine } from './grid-table.ts';
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
  return columns.map(({ path, field }) => {
    const whole = cellText(field, valueAtPath(record.fields, row, path), view);
    const text = view.whole ? whole : shortenCell(field.isCommit && whole ? shortHash(whole) : whole);
    return { text, tone: toneOf(field, text) };
  });
}

/** Tables are for people, also in a pipe; data formats are never cut. */
const longestCell = 500;

function shortenCell(text: string): string {
  if (text.length <= longestCell) return text;
  // This many code points are always enough to decide.
  const characters = [...text.slice(0, 2 * longestCell + 1)];
  return characters.length > longestCell ? `${characters.slice(0, longestCell - 1).join('')}…` : text;
}

function fitted(columns: readonly Column[], lines: readonly (readonly Cell[])[], view: View): Omit<Sheet, 'theme'> {
  const available = view.terminal && !view.whole ? view.width || 80 : Number.POSITIVE_INFINITY;
  const widths = columnWidths(lines);
  const natural = columns.map((column, index): FittedColumn => ({ column, width: widths[index] ?? 0 }));
  const fitted = fitColumns(natural, available, view.columns !== undefined);
  const slots = fitted.map(({ column, width }) => ({ index: columns.indexOf(column), width, wraps: column.wraps }));
  return {
    rows: lines.flatMap((line) => linesOf(slots.map((slot) => cellLines(line[slot.index], slot)))),
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

export interface FittedColumn {
  readonly column: Column;
  readonly width: number;
}

/** A shorter cut text is useless. */
const shortestCut = 8;
/** A narrower sentence would take too many lines. */
const shortestWrapped = 28;
/** A sentence of this width is still better than none. */
const narrowestWrapped = 20;
/** A name may be longer than this, but is cut then. */
const longestName = 40;

/**
 * Fits columns of these natural widths: drops the last ones (unless `keepAll`), then cuts the widest. A column that
 * wraps is made narrow instead, and dropped last. IDs and numbers keep their width, so a very narrow terminal may still
 * be exceeded.
 */
export function fitColumns(
  natural: readonly FittedColumn[],
  available: number,
  keepAll: boolean,
): readonly FittedColumn[] {
  if (keepAll) return cutWidest(natural, available, leastWidth);
  let remaining = natural;
  let leastOf = readableWidth;
  while (totalWidth(remaining, leastOf) > available) {
    const last = remaining.findLastIndex(({ column }) => !column.required);
    if (last === -1) break;
    if (remaining[last]?.column.wraps) leastOf = narrowWidth;
    if (totalWidth(remaining, leastOf) <= available) break;
    const other = remaining.findLastIndex(({ column }) => !column.required && !column.wraps);
    remaining = remaining.toSpliced(other === -1 ? last : other, 1);
  }
  return cutWidest(remaining, available, leastOf);
}

function cutWidest(
  columns: readonly FittedColumn[],
  available: number,
  leastOf: (one: FittedColumn) => number,
): readonly FittedColumn[] {
  // Limits each column to the available width first; otherwise two huge cells would be cut column by column.
  let fitted = columns.map((one) => ({ ...one, width: Math.min(one.width, Math.max(leastOf(one), available)) }));
  for (
    let excess = totalWidth(fitted, naturalWidth) - available;
    excess > 0;
    excess = totalWidth(fitted, naturalWidth) - available
  ) {
    const cuttable = fitted.filter((one) => one.width > leastOf(one));
    // The right-most of equally wide columns is cut first.
    const widest = cuttable.toReversed().toSorted((a, b) => b.width - a.width)[0];
    if (!widest) break;
    const next = Math.max(...cuttable.filter((one) => one !== widest).map(naturalWidth), 0);
    const floor = Math.max(leastOf(widest), Math.min(next, widest.width - 1), widest.width - excess);
    fitted = fitted.map((one) => (one === widest ? { ...one, width: floor } : one));
  }
  return fitted;
}

function totalWidth(columns: readonly FittedColumn[], widthOf: (one: FittedColumn) => number): number {
  return columns.reduce((sum, one) => sum + widthOf(one), gap.length * (columns.length - 1));
}

function naturalWidth({ width }: FittedColumn): number {
  return width;
}

function leastWidth({ column, width }: FittedColumn): number {
  if (column.whole || column.right) return width;
  if (column.wraps) return Math.min(width, shortestWrapped);
  return Math.min(width, isName(column.path) ? longestName : shortestCut);
}

/** Half of a time, state, heading or name is useless, so such a column is dropped instead of cut. */
function readableWidth(one: FittedColumn): number {
  const { field, heading } = one.column;
  if (field.kind === 'instant' || field.kind === 'choice' || field.meanings) return one.width;
  return Math.max(leastWidth(one), Math.min(one.width, cellWidth(heading)));
}

function narrowWidth(one: FittedColumn): number {
  return one.column.wraps ? Math.min(one.width, narrowestWrapped) : readableWidth(one);
}
