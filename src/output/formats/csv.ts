import type { Field } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { originalOf } from '../../contract/values/json.ts';
import { columnsOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { unescapedText } from '../table/cell.ts';
import { shownFields } from '../table/detail.ts';
import type { View } from '../view.ts';

/** The line end that spreadsheets and CSV readers expect (RFC 4180). */
const lineEnd = '\r\n';
/** Matches a text that a spreadsheet would run as a formula because of its first character, also in full width. */
const formulaStartPattern = /^[=+\-@\t\r\n＝＋－＠]/;
/** Matches a negative number of JSON. It is no formula, and a quote in front of it would turn it into text. */
const negativeNumberPattern = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Returns rows as CSV (RFC 4180), by default below a heading of field names. The last line has a line end, too. */
export function csvRows(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view);
  const heading = view.header === false ? [] : [columns.map(({ path }) => csvCell(path, view))];
  const body = rows.map((row) =>
    columns.map(({ path, field }) => valueCell(field, valueAtPath(record.fields, originalOf(row) as Row, path), view)),
  );
  return [...heading, ...body].map(csvLine).join('');
}

export function csvRecord(record: RecordType, row: Row, view: View): string {
  const fields = shownFields(record, row);
  const cells = fields.map(({ field, value }) => valueCell(field, value, view));
  return csvLine(fields.map(({ name }) => name)) + csvLine(cells);
}

function valueCell(field: Field, value: unknown, view: View): string {
  const text = unescapedText(field, value, view);
  // CSV readers take an empty cell for null, so an empty text is written as `""`.
  if (text === '') return '""';
  return text === undefined ? '' : csvCell(text, view);
}

function csvCell(text: string, { csvRaw }: View): string {
  const cell = !csvRaw && formulaStartPattern.test(text) && !negativeNumberPattern.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function csvLine(cells: readonly string[]): string {
  const line = cells.join(',');
  // A line with one empty cell would be blank, and readers skip blank lines.
  return `${line === '' ? '""' : line}${lineEnd}`;
}
