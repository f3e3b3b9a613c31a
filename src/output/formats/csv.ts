import type { Field } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { original } from '../../contract/values/sent.ts';
import { columnsOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { type CellReading, plainText, readingOf } from '../table/cell.ts';
import { shownFields } from '../table/detail.ts';
import type { View } from '../view.ts';

/** As RFC 4180 has it. Spreadsheets and CSV readers expect it; tools that want a bare line feed read tab-separated rows. */
const lineEnd = '\r\n';
/** What makes a spreadsheet run a cell, also in the wide forms of East Asian keyboards. */
const runs = /^[=+\-@\t\r\n＝＋－＠]/;
/** A number as JSON writes it: it can do nothing, and with a quote in front it would no longer be one. */
const isNumber = /^-\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Rows as RFC 4180 wants them, below a heading of field names; the last line is ended too. */
export function csvRows(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view);
  const heading = view.header === false ? [] : [columns.map(({ path }) => csvCell(path, view))];
  const body = rows.map((row) => {
    const reading = readingOf(view, row);
    return columns.map(({ path, field }) =>
      cellOf(field, valueAtPath(record.fields, original(row) as Row, path), view, reading),
    );
  });
  return [...heading, ...body].map(csvLine).join('');
}

export function csvRecord(record: RecordType, row: Row, view: View): string {
  const shown = shownFields(record, row);
  const reading = readingOf(view, row);
  const cells = shown.map(({ field, value }) => cellOf(field, value, view, reading));
  return csvLine(shown.map(({ name }) => name)) + csvLine(cells);
}

function cellOf(field: Field, value: unknown, view: View, reading: CellReading): string {
  const text = plainText(field, value, reading);
  // An empty text differs from no value, which readers of CSV take for null.
  if (text === '') return '""';
  return text === undefined ? '' : csvCell(text, view);
}

function csvCell(text: string, { csvRaw }: View): string {
  const shown = !csvRaw && runs.test(text) && !isNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

function csvLine(cells: readonly string[]): string {
  const line = cells.join(',');
  // A line of one empty cell would be taken for a blank line and passed over.
  return `${line === '' ? '""' : line}${lineEnd}`;
}
