import type { Field } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { originalOf } from '../../contract/values/json.ts';
import { isoText, readInstant } from '../../contract/values/time.ts';
import { labelOf } from '../columns.ts';
import { nameInRow, valueAtPath } from '../field-path.ts';
import type { View } from '../view.ts';
import { cellText, fieldTone, isHumanReadable, tsvCellText } from './cell.ts';
import { wrapWords } from './cell-width.ts';
import { paintCell } from './grid-table.ts';
import { loadTheme } from './theme.ts';

/** Returns a record as lines `Label:  value`, or as `Label:<tab>value` for tab-separated output. */
export async function drawDetail(record: RecordType, row: Row, view: View): Promise<string> {
  const fields = shownFields(record, row).map((one) => ({ ...one, label: `${labelOf(one.name, one.field)}:` }));
  if (view.format === 'tsv') {
    return fields.map(({ label, field, value }) => `${label}\t${tsvCellText(field, value, view)}`).join('\n');
  }
  const theme = await loadTheme(view.colour);
  const labelWidth = Math.max(...fields.map(({ label }) => label.length)) + 2;
  const maxTextWidth = view.terminal ? (view.width || 80) - labelWidth : Number.POSITIVE_INFINITY;
  const lines = fields.map(({ label, field, value }) => {
    const text = detailText(field, value, view);
    const tone = fieldTone(field, text);
    const wrappedLines = wrapWords(text, maxTextWidth).map((line) => paintCell({ text: line, tone }, theme));
    return label.padEnd(labelWidth) + wrappedLines.join(`\n${' '.repeat(labelWidth)}`);
  });
  return lines.join('\n');
}

/** Returns the declared fields with their values, except optional fields that are absent. No value appears twice. */
export function shownFields(record: RecordType, row: Row) {
  const takenKeys = new Set<string>();
  return Object.entries<Field>(record.fields).flatMap(([name, field]) => {
    const key = nameInRow(originalOf(row) as Row, name, field);
    if (key === undefined ? field.presence === 'optional' : takenKeys.has(key)) return [];
    takenKeys.add(key ?? name);
    return [{ name, field, value: valueAtPath(record.fields, row, name) }];
  });
}

function detailText(field: Field, value: unknown, view: View): string {
  const text = cellText(field, value, view);
  const moment =
    field.kind === 'instant' && typeof value === 'string' && isHumanReadable(view) ? readInstant(value) : undefined;
  return moment ? `${text} (${isoText(moment)})` : text;
}
