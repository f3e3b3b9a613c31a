import type { RecordType, Row } from '../../contract/record.ts';
import { columnsOf, labelOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { cellText, visibleText } from '../table/cell.ts';
import { shownFields } from '../table/detail.ts';
import type { View } from '../view.ts';

/** Rows as a GitHub table. */
export function mdTable(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view, rows);
  const body = rows.map((row) =>
    columns.map(({ path, field }) => mdText(cellText(field, valueAtPath(record.fields, row, path), view))),
  );
  const rule = columns.map(({ right }) => (right ? '--:' : '---'));
  return [columns.map(({ heading }) => heading), rule, ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** One record as a list: `- **Name:** shop`. */
export function mdDetail(record: RecordType, row: Row, view: View): string {
  const line = ({ name, field, value }: ReturnType<typeof shownFields>[number]) =>
    `- **${labelOf(name, field)}:** ${mdText(cellText(field, value, view))}`;
  return shownFields(record, row).map(line).join('\n');
}

/** Sentences as a list. */
export function mdLines(lines: readonly string[], view: View): string {
  return lines.map((line) => `- ${mdText(visibleText(line, view))}`).join('\n');
}

/** Would become a link, a mention or a reference to an issue. */
const autolinked = /:\/\/|@\w|#\d|\bwww\./;

/** Text on one line that Markdown shows as it is, in a cell of a table too. */
function mdText(text: string): string {
  const line = text.replaceAll(/[\r\n]+/g, ' ');
  return autolinked.test(line)
    ? codeSpan(line)
    : line.replaceAll(/[\\`*_{}[\]<>|~&!]/g, (sign) => entities[sign] ?? `\\${sign}`);
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A fence that is longer than any in the text. A table ends its cells at `|` in code, too. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${text.replaceAll('|', '\\|')}${space}${fence}`;
}
