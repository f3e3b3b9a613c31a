import type { ScreenBlock, ScreenCell, ScreenText } from '../../contract/command.ts';
import { isObject } from '../../contract/values/json.ts';
import type { View } from '../view.ts';
import { stateTone, visibleText } from './cell.ts';
import { cellWidth, cutToWidth } from './cell-width.ts';
import { type Cell, columnGap, paintCell, trimLine } from './grid-table.ts';
import { loadTheme, type Theme } from './theme.ts';

/** Consecutive texts of one line or cell, each with its tone. */
type Pieces = readonly Cell[];

const minColumnWidth = 6;

/** Returns blocks of labelled rows, not wider than the terminal, without the last line feed. */
export async function drawScreen(blocks: readonly ScreenBlock[], view: View): Promise<string> {
  const theme = await loadTheme(view.colour);
  const labelWidth = Math.max(...blocks.map(({ label }) => label.length)) + columnGap.length;
  const maxWidth = Math.max((view.width || 80) - labelWidth, minColumnWidth);
  const lines = blocks.flatMap(({ label, rows }) => {
    const cells = rows.map((row) => row.map((cell) => piecesOf(cell, view)));
    return blockLines(cells, maxWidth).map((line, at): Pieces => {
      const labelText = at === 0 ? label : '';
      return [{ text: labelText, tone: 'heading' }, { text: ' '.repeat(labelWidth - labelText.length) }, ...line];
    });
  });
  return lines.map((line) => paintLine(line, theme)).join('\n');
}

function piecesOf(cell: ScreenCell, view: View): Pieces {
  return [cell].flat().map((one) => {
    if (!hasState(one)) return { text: visibleText(one, view) };
    return { text: visibleText(one.text, view), tone: stateTone(one.state) };
  });
}

function hasState(one: ScreenText): one is Exclude<ScreenText, string> {
  return isObject(one) && 'text' in one;
}

function paintLine(line: Pieces, theme: Theme): string {
  const lastIndex = line.findLastIndex(({ text }) => text.trim() !== '');
  return line
    .slice(0, lastIndex + 1)
    .map((piece, at) => (at === lastIndex ? { ...piece, text: trimLine(piece.text) } : piece))
    .filter(({ text }) => text !== '')
    .map((piece) => paintCell(piece, theme))
    .join('');
}

function blockLines(rows: readonly (readonly Pieces[])[], maxWidth: number): readonly Pieces[] {
  const widths = fitWidths(rows, maxWidth);
  return rows.flatMap((row) => {
    const [only = []] = row;
    return row.length === 1 ? wrapPieces(only, maxWidth) : [alignLine(row, widths)];
  });
}

function alignLine(row: readonly Pieces[], widths: readonly number[]): Pieces {
  return row.flatMap((cell, columnIndex) => {
    const cutCell = cutPieces(cell, widths[columnIndex] ?? 0);
    const blanks = ' '.repeat((widths[columnIndex] ?? 0) - widthOf(cutCell));
    return [...cutCell, { text: columnIndex === row.length - 1 ? blanks : blanks + columnGap }];
  });
}

function fitWidths(rows: readonly (readonly Pieces[])[], maxWidth: number): readonly number[] {
  const alignedRows = rows.filter(({ length }) => length > 1);
  const columnCount = Math.max(0, ...alignedRows.map(({ length }) => length));
  const widths = Array.from({ length: columnCount }, (_, columnIndex) =>
    Math.max(...alignedRows.map((row) => widthOf(row[columnIndex] ?? []))),
  );
  let excessWidth = widths.reduce((sum, width) => sum + width, 0) + columnGap.length * (columnCount - 1) - maxWidth;
  // Each step narrows the widest column by one.
  for (; excessWidth > 0; excessWidth -= 1) {
    const widestIndex = widths.indexOf(Math.max(...widths));
    const width = widths[widestIndex] ?? 0;
    if (width <= minColumnWidth) break;
    widths[widestIndex] = width - 1;
  }
  return widths;
}

function cutPieces(pieces: Pieces, width: number): Pieces {
  const fittingPieces: Cell[] = [];
  let widthLeft = width;
  for (const piece of pieces) {
    if (widthLeft <= 0) break;
    const text = cutToWidth(piece.text, widthLeft);
    fittingPieces.push({ ...piece, text });
    widthLeft -= cellWidth(text);
    if (text !== piece.text) break;
  }
  return fittingPieces;
}

function wrapPieces(pieces: Pieces, maxWidth: number): readonly Pieces[] {
  const lines: Cell[][] = [[]];
  let usedWidth = 0;
  const words = pieces.flatMap(({ text, tone }) => text.split(/(?<= )/).map((word): Cell => ({ text: word, tone })));
  for (const word of words) {
    const width = cellWidth(word.text.trimEnd());
    if (usedWidth > 0 && usedWidth + width > maxWidth) {
      lines.push([]);
      usedWidth = 0;
    }
    lines.at(-1)?.push(width > maxWidth ? { ...word, text: cutToWidth(word.text, maxWidth) } : word);
    usedWidth += cellWidth(word.text);
  }
  return lines;
}

function widthOf(pieces: Pieces): number {
  return pieces.reduce((sum, { text }) => sum + cellWidth(text), 0);
}
