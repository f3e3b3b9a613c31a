import type { Presentation } from '../contract/command.ts';
import { type RecordType, record } from '../contract/record.ts';
import type { Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json-object.ts';
import { fieldsOf } from './field-path.ts';
import type { View } from './view.ts';

/** What was done, or a bare value, as the rows that `--output csv` and `tsv` ask for; what has rows already as it is. */
export function presentRows(
  shown: Presentation,
  { reply, value }: { readonly reply?: Reply | undefined; readonly value: unknown },
  view: View,
): Presentation {
  const rowsOf = reply && recordOf(reply);
  if (!rowsOf || !isForRows(shown, view)) return shown;
  if (isObject(value)) return { kind: 'detail', record: rowsOf, row: value };
  if (value === undefined && !reply.record) return { kind: 'detail', record: rowsOf, row: { ok: true } };
  return { kind: 'table', record: rowsOf, rows: Array.isArray(value) ? value.filter(isObject) : [] };
}

/** Changes say nothing with --quiet, and a bare value is a cell to a tab-separated pipe as it is. */
function isForRows({ kind }: Presentation, { asRows, format, quiet }: View): boolean {
  if (!asRows) return false;
  return kind === 'value' ? format === 'csv' : (kind === 'done' || kind === 'nothing') && !quiet;
}

function recordOf(reply: Reply): RecordType | undefined {
  const fields = fieldsOf(reply);
  return reply.record ?? (fields && record('response', fields, Object.keys(fields)));
}
