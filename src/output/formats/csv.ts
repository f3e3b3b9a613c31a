import type { Field } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { original } from '../../contract/values/json.ts';
import { columnsOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { plainText } from '../table/cell.ts';
import { shownFields } from '../table/detail.ts';
import type { View } from '../view.ts';

/** The end of a line, as spreadsheets and CSV readers expect it (RFC 4180). */
const lineEnd = '\r\n';
/** Matches a text that a spreadsheet would run as a formula, by its first character, which may be a full-width one. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;
/** Matches a negative number as in JSON. It is no formula, and with a quote in front it would no longer be a number. */
const negativeNumber = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Returns rows as CSV (RFC 4180) below a heading of field names. Every line ends with a line end, also the last. */
export function csvRows(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view);
  const heading = view.header === false ? [] : [columns.map(({ path }) => csvCell(path, view))];
  const body = rows.map((row) =>
    columns.map(({ path, field }) => valueCell(field, valueAtPath(record.fields, original(row) as Row, path), view)),
  );
  return [...heading, ...body].map(csvLine).join('');
}

export function csvRecord(record: RecordType, row: Row, view: View): string {
  const fields = shownFields(record, row);
  const cells = fields.map(({ field, value }) => valueCell(field, value, view));
  return csvLine(fields.map(({ name }) => name)) + csvLine(cells);
}

function valueCell(field: Field, value: unknown, view: View): string {
  const text = plainText(field, value, view);
  // CSV readers take an empty cell for null, so an empty text is written as `""`.
  if (text === '') return '""';
  return text === undefined ? '' : csvCell(text, view);
}

function csvCell(text: string, { csvRaw }: View): string {
  const cell = !csvRaw && formulaStart.test(text) && !negativeNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function csvLine(cells: readonly string[]): string {
  const line = cells.join(',');
  // A line with one empty cell would be blank, and readers skip blank lines.
  return `${line === '' ? '""' : line}${lineEnd}`;
}
