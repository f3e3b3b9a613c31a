import type { Fields } from '../contract/field.ts';
import type { Reply } from '../contract/reply.ts';
import { writeJson } from '../json/write.ts';
import { Problem } from '../problems/problem.ts';
import { arrange } from './arrange.ts';
import { fieldsOf, isRow, valueAt } from './field-path.ts';
import type { View } from './view.ts';

/** What the service sent as one JSON document: indented and escaped on a terminal, one line as it is otherwise. */
export function jsonResult(value: unknown, reply: Reply | undefined, view: View): string {
  const fields = (reply && fieldsOf(reply)) ?? {};
  const arranged = arrangedValue(value === undefined ? { ok: true } : value, fields, view);
  const picked = view.fields ? pickEach(arranged, fields, view.fields) : arranged;
  return writeJson(picked, { indent: view.terminal, escapeControls: view.terminal });
}

function arrangedValue(value: unknown, fields: Fields, { sort, limit }: View): unknown {
  if (sort === undefined && limit === undefined) return value;
  if (!Array.isArray(value))
    throw new Problem('usage', 'only a list can be sorted or limited', { hint: 'leave it out' });
  return arrange<unknown>(value, fields, { sort, limit });
}

function pickEach(value: unknown, fields: Fields, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => pickEach(item, fields, paths));
  if (!isRow(value)) return value;
  return Object.fromEntries(paths.map((path) => [path, valueAt(fields, value, path) ?? null]));
}
