import type { RecordType, Row } from '../../contract/record.ts';
import { shortHash } from '../../contract/values/text.ts';
import { type Column, columnsOf, isNameField } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import type { View } from '../view.ts';
import { cellText, fieldTone } from './cell.ts';
import { cellWidth, cutToWidth, wrapToWidth } from './cell-width.ts';
import { type Cell, canDrawGrid, columnGap, drawGrid, type FittedTable, paintCell, trimLine } from './grid-table.ts';
import { loadTheme } from './theme.ts';

/** Returns rows as aligned columns, cut to the width of the terminal, without the last line feed. */
export async function drawTable(record: RecordType, rows: readonly Row[], view: View): Promise<string> {
  const columns = columnsOf(record, view, view.terminal ? rows : []);
  const heading = columns.map((column): Cell => ({ text: column.heading, tone: 'heading' }));
  const body = rows.map((row) => cellsOf(record, columns, row, view));
  const lines = view.header === false ? body : [heading, ...body];
  const sheet: FittedTable = { ...fitTable(columns, lines, view), theme: await loadTheme(view.colour) };
  return view.terminal && canDrawGrid(sheet) ? drawGrid(sheet) : drawPlainTable(sheet);
}

function cellsOf(record: RecordType, columns: readonly Column[], row: Row, view: View): Cell[] {
  return columns.map(({ path, field }) => {
    const wholeText = cellText(field, valueAtPath(record.fields, row, path), view);
    const text = view.uncut ? wholeText : shortenCell(field.isCommit && wholeText ? shortHash(wholeText) : wholeText);
    return { text, tone: fieldTone(field, text) };
  });
}

/** Maximum characters of a cell, also in a pipe, because a table is for a human reader. Other formats cut no cell. */
const maxCellLength = 500;

function shortenCell(text: string): string {
  if (text.length <= maxCellLength) return text;
  // A character has at most two UTF-16 units, so this part of the text holds enough characters.
  const characters = [...text.slice(0, 2 * maxCellLength + 1)];
  return characters.length > maxCellLength ? `${characters.slice(0, maxCellLength - 1).join('')}…` : text;
}

function fitTable(columns: readonly Column[], lines: readonly (readonly Cell[])[], view: View) {
  const maxWidth = view.terminal && !view.uncut ? view.width || 80 : Number.POSITIVE_INFINITY;
  const widths = columnWidths(lines);
  const naturalColumns = columns.map((column, index): SizedColumn => ({ column, width: widths[index] ?? 0 }));
  const fitted = fitColumns(naturalColumns, maxWidth, view.columns !== undefined);
  const slots = fitted.map((one) => ({ ...one, index: columns.indexOf(one.column) }));
  return {
    rows: lines.flatMap((line) => linesOfCells(slots.map((slot) => cellLines(line[slot.index], slot)))),
    right: fitted.map(({ column }) => column.isRight),
  };
}

const maxLines = 5;

function cellLines({ text, tone }: Cell = { text: '' }, { column, width }: SizedColumn): readonly Cell[] {
  const lines = column.wraps ? wrapToWidth(text, width, maxLines) : [cutToWidth(text, width)];
  return lines.map((line) => ({ text: line, tone }));
}

function linesOfCells(cells: readonly (readonly Cell[])[]): readonly (readonly Cell[])[] {
  const lineCount = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: lineCount }, (_, index) => cells.map((lines) => lines[index] ?? { text: '' }));
}

/** Draws aligned columns in linear time, for any script. */
export function drawPlainTable({ rows, right, theme }: FittedTable): string {
  const widths = columnWidths(rows);
  const padCells = (row: readonly Cell[]) =>
    row.map((cell, index) => {
      const blanks = ' '.repeat((widths[index] ?? 0) - cellWidth(cell.text));
      return right[index] ? blanks + paintCell(cell, theme) : paintCell(cell, theme) + blanks;
    });
  return rows.map((row) => trimLine(padCells(row).join(columnGap))).join('\n');
}

function columnWidths(rows: readonly (readonly Cell[])[]): readonly number[] {
  // Each width is at least 1, as in cli-table3.
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, { text }] of row.entries()) widths[index] = Math.max(widths[index] ?? 1, cellWidth(text));
  }
  return widths;
}

export type SizedColumn = { readonly column: Column; readonly width: number };

/** Minimum width to which a text is cut, because a shorter text is useless. */
const minCutWidth = 8;
/** Minimum width of a column of wrapped sentences, which would have too many lines in a narrower column. */
const minWrappedWidth = 28;
/** Minimum width of a column of wrapped sentences that would otherwise have to be dropped. */
const narrowWrappedWidth = 20;
/** Width to which a longer name may be cut. A shorter name is not cut. */
const maxNameWidth = 40;

/**
 * Drops the last columns, unless `keepAll`, then cuts the widest columns. A column that wraps is narrowed instead, and
 * dropped last. IDs and numbers keep their width, so the table may be wider than a very narrow terminal.
 */
export function fitColumns(columns: readonly SizedColumn[], maxWidth: number, keepAll: boolean) {
  if (keepAll) return cutWidestColumns(columns, maxWidth, minWidth);
  let remainingColumns = columns;
  let minWidthOf = readableWidth;
  while (totalWidth(remainingColumns, minWidthOf) > maxWidth) {
    const droppableColumns = remainingColumns.filter(({ column }) => !column.isRequired);
    const last = droppableColumns.at(-1);
    if (!last) break;
    if (last.column.wraps) minWidthOf = narrowWidth;
    if (totalWidth(remainingColumns, minWidthOf) <= maxWidth) break;
    const dropped = droppableColumns.findLast(({ column }) => !column.wraps) ?? last;
    remainingColumns = remainingColumns.filter((one) => one !== dropped);
  }
  return cutWidestColumns(remainingColumns, maxWidth, minWidthOf);
}

type WidthOf = (column: SizedColumn) => number;

function cutWidestColumns(columns: readonly SizedColumn[], maxWidth: number, minWidthOf: WidthOf) {
  // Each column is first limited to the available width, because two huge widths would be cut one by one.
  let fitted = columns.map((one) => ({ ...one, width: Math.min(one.width, Math.max(minWidthOf(one), maxWidth)) }));
  for (;;) {
    const excessWidth = totalWidth(fitted, ({ width }) => width) - maxWidth;
    const cuttableColumns = fitted.filter((one) => one.width > minWidthOf(one));
    // The right-most of equally wide columns is cut first.
    const widest = cuttableColumns.toReversed().toSorted((a, b) => b.width - a.width)[0];
    if (excessWidth <= 0 || !widest) return fitted;
    const nextWidth = Math.max(...cuttableColumns.filter((one) => one !== widest).map(({ width }) => width), 0);
    const width = Math.max(minWidthOf(widest), Math.min(nextWidth, widest.width - 1), widest.width - excessWidth);
    fitted = fitted.map((one) => (one === widest ? { ...one, width } : one));
  }
}

function totalWidth(columns: readonly SizedColumn[], widthOf: WidthOf): number {
  return columns.reduce((sum, column) => sum + widthOf(column), columnGap.length * (columns.length - 1));
}

function minWidth({ column, width }: SizedColumn): number {
  if (column.isWhole || column.isRight) return width;
  if (column.wraps) return Math.min(width, minWrappedWidth);
  return Math.min(width, isNameField(column.path) ? maxNameWidth : minCutWidth);
}

/** Returns the width below which a column is dropped instead of cut, because half of a time or a state is useless. */
function readableWidth(sizedColumn: SizedColumn): number {
  const { field, heading } = sizedColumn.column;
  if (field.kind === 'instant' || field.kind === 'choice' || field.meanings) return sizedColumn.width;
  return Math.max(minWidth(sizedColumn), Math.min(sizedColumn.width, cellWidth(heading)));
}

function narrowWidth(sizedColumn: SizedColumn): number {
  return sizedColumn.column.wraps ? Math.min(sizedColumn.width, narrowWrappedWidth) : readableWidth(sizedColumn);
}
