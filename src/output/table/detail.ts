import type { Field } from '../../contract/field.ts';
import type { RecordType, Row } from '../../contract/record.ts';
import { original } from '../../contract/values/json.ts';
import { isoText, readInstant } from '../../contract/values/time.ts';
import { labelOf } from '../columns.ts';
import { nameIn, valueAtPath } from '../field-path.ts';
import type { View } from '../view.ts';
import { cellText, dataText, isHumanReadable, toneOf } from './cell.ts';
import { wrapWords } from './cell-width.ts';
import { painted } from './grid-table.ts';
import { loadTheme } from './theme.ts';

/** A record as `Label:  value` lines, or `Label:<tab>value` as data; without the last line feed. */
export async function detailLines(record: RecordType, row: Row, view: View): Promise<string> {
  const displayed = shownFields(record, row).map((one) => ({ ...one, label: `${labelOf(one.name, one.field)}:` }));
  if (view.format === 'tsv') {
    return displayed.map(({ label, field, value }) => `${label}\t${dataText(field, value, view)}`).join('\n');
  }
  const theme = await loadTheme(view.colour);
  const width = Math.max(...displayed.map(({ label }) => label.length)) + 2;
  const available = view.terminal ? (view.width || 80) - width : Number.POSITIVE_INFINITY;
  const lines = displayed.map(({ label, field, value }) => {
    const text = detailText(field, value, view);
    const tone = toneOf(field, text);
    const wrapped = wrapWords(text, available).map((line) => painted({ text: line, tone }, theme));
    return label.padEnd(width) + wrapped.join(`\n${' '.repeat(width)}`);
  });
  return lines.join('\n');
}

/** Every declared field, optional ones only if sent; no value appears under two names. */
export function shownFields(record: RecordType, row: Row) {
  const taken = new Set<string>();
  return Object.entries<Field>(record.fields).flatMap(([name, field]) => {
    const found = nameIn(original(row) as Row, name, field);
    if (found === undefined && field.presence === 'optional') return [];
    if (found !== undefined && taken.has(found)) return [];
    taken.add(found ?? name);
    return [{ name, field, value: valueAtPath(record.fields, row, name) }];
  });
}

function detailText(field: Field, value: unknown, view: View): string {
  const text = cellText(field, value, view);
  const moment =
    field.kind === 'instant' && typeof value === 'string' && isHumanReadable(view) ? readInstant(value) : undefined;
  return moment ? `${text} (${isoText(moment)})` : text;
}
