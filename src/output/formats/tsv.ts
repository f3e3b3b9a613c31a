import type { RecordType, Row } from '../../contract/record.ts';
import { columnsOf } from '../columns.ts';
import { valueAtPath } from '../field-path.ts';
import { dataText, readingOf } from '../table/cell.ts';
import type { View } from '../view.ts';

/** Rows as tab-separated lines, one record each, nothing cut; without the last line feed. */
export function tsvLines(record: RecordType, rows: readonly Row[], view: View): string {
  const columns = columnsOf(record, view);
  const body = rows.map((row) => {
    const reading = readingOf(view, row);
    return columns.map(({ path, field }) => dataText(field, valueAtPath(record.fields, row, path), reading)).join('\t');
  });
  return [...(view.header ? [columns.map(({ heading }) => heading).join('\t')] : []), ...body].join('\n');
}

/** The IDs alone, or the first of the columns asked for, one line per row. */
export function identifierLines(record: RecordType, rows: readonly Row[], view: View): string {
  const { header: _, ...rest } = view;
  return tsvLines(record, rows, { ...rest, format: 'tsv', columns: [view.columns?.[0] ?? record.id] });
}
