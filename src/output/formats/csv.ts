import type { Field } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { original } from '../../contract/values/json.ts';
import { columnsOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { plainText } from '../table/cell.ts';
import { shownFields } from '../table/detail.ts';
import type { View } from '../view.ts';

/** Spreadsheets and CSV readers expect CRLF (RFC 4180). */
const lineEnd = '\r\n';
/** First characters that make a spreadsheet run a cell, also in their full-width forms. */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;
/** A negative number in JSON form is harmless, and would not be a number with a quote before it. */
const isNumber = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Rows as in RFC 4180, below a heading of field names; the last line also has its line end. */
export function csvRows(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view);
  const heading = view.header === false ? [] : [columns.map(({ path }) => csvCell(path, view))];
  const body = rows.map((row) =>
    columns.map(({ path, field }) => cellOf(field, valueAtPath(record.fields, original(row) as Row, path), view)),
  );
  return [...heading, ...body].map(csvLine).join('');
}

export function csvRecord(record: RecordType, row: Row, view: View): string {
  const displayed = shownFields(record, row);
  const cells = displayed.map(({ field, value }) => cellOf(field, value, view));
  return csvLine(displayed.map(({ name }) => name)) + csvLine(cells);
}

function cellOf(field: Field, value: unknown, view: View): string {
  const text = plainText(field, value, view);
  // Readers of CSV read an empty cell as null; empty text is `""`.
  if (text === '') return '""';
  return text === undefined ? '' : csvCell(text, view);
}

function csvCell(text: string, { csvRaw }: View): string {
  const cell = !csvRaw && formulaStart.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function csvLine(cells: readonly string[]): string {
  const line = cells.join(',');
  // A line with one empty cell would be a blank line, which readers skip.
  return `${line === '' ? '""' : line}${lineEnd}`;
}
