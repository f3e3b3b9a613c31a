import type { RecordType, Row } from '../../contract/record.ts';
import { columnsOf, labelOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { cellText, visibleText } from '../table/cell.ts';
import { shownFields } from '../table/detail.ts';
import type { View } from '../view.ts';

export function mdTable(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view, rows);
  const body = rows.map((row) =>
    columns.map(({ path, field }) => mdText(cellText(field, valueAtPath(record.fields, row, path), view))),
  );
  const separatorCells = columns.map(({ isRight }) => (isRight ? '--:' : '---'));
  return [columns.map(({ heading }) => heading), separatorCells, ...body]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Returns one record as a list: `- **Name:** shop`. */
export function mdDetail(record: RecordType, row: Row, view: View): string {
  const fieldLine = ({ name, field, value }: ReturnType<typeof shownFields>[number]) =>
    `- **${labelOf(name, field)}:** ${mdText(cellText(field, value, view))}`;
  return shownFields(record, row).map(fieldLine).join('\n');
}

export function mdLines(lines: readonly string[], view: View): string {
  return lines.map((line) => `- ${mdText(visibleText(line, view))}`).join('\n');
}

/** Matches a text that GitHub would turn into a link, a mention or a reference to an issue. */
const autolinkPattern = /:\/\/|@\w|#\d|\bwww\./;

function mdText(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ');
  return autolinkPattern.test(line)
    ? codeSpan(line)
    : line.replaceAll(/[\\`*_{}[\]<>|~&!]/g, (character) => entities[character] ?? `\\${character}`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns a text as code between backquotes, one more than the text has in a row. Escapes `|`, which ends a cell. */
function codeSpan(text: string): string {
  const longestFenceLength = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longestFenceLength + 1);
  const padding = longestFenceLength > 0 ? ' ' : '';
  return `${fence}${padding}${text.replaceAll('|', '\\|')}${padding}${fence}`;
}
