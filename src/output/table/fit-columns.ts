import { type Column, isName } from '../columns.ts';
import { cellWidth } from './cell-width.ts';
import { gap } from './sheet.ts';

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
export function fitColumns(natural: readonly FittedColumn[], room: number, keepAll: boolean): readonly FittedColumn[] {
  if (keepAll) return cutWidest(natural, room, leastWidth);
  let remaining = natural;
  let leastOf = readableWidth;
  while (total(remaining, leastOf) > room) {
    const last = remaining.findLastIndex(({ column }) => !column.required);
    if (last === -1) break;
    if (remaining[last]?.column.wraps) leastOf = narrowWidth;
    if (total(remaining, leastOf) <= room) break;
    const other = remaining.findLastIndex(({ column }) => !column.required && !column.wraps);
    remaining = remaining.toSpliced(other === -1 ? last : other, 1);
  }
  return cutWidest(remaining, room, leastOf);
}

function cutWidest(
  columns: readonly FittedColumn[],
  room: number,
  leastOf: (one: FittedColumn) => number,
): readonly FittedColumn[] {
  // Limits each column to the available width first; otherwise two huge cells would be cut column by column.
  let fitted = columns.map((one) => ({ ...one, width: Math.min(one.width, Math.max(leastOf(one), room)) }));
  for (let excess = total(fitted, naturalWidth) - room; excess > 0; excess = total(fitted, naturalWidth) - room) {
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

function total(columns: readonly FittedColumn[], widthOf: (one: FittedColumn) => number): number {
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

/**
 * Half a time, state or heading is useless, and commands need whole names: these columns are dropped instead of cut.
 */
function readableWidth(one: FittedColumn): number {
  const { field, heading } = one.column;
  if (field.kind === 'instant' || field.kind === 'choice' || field.meanings) return one.width;
  return Math.max(leastWidth(one), Math.min(one.width, cellWidth(heading)));
}

function narrowWidth(one: FittedColumn): number {
  return one.column.wraps ? Math.min(one.width, narrowestWrapped) : readableWidth(one);
}
