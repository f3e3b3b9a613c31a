import type { Fields } from '../../contract/field.ts';
import type { Row } from '../../contract/record.ts';
import type { Reply } from '../../contract/reply.ts';
import { isObject, originalOf } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { copySpelling, parseStrictJson } from '../../json/read.ts';
import { jsonPieces, writeJson } from '../../json/write.ts';
import { nameInRow, valueAtPath } from '../field-path.ts';
import { arrangeItems, isUnreadStackRow } from '../filter-sort.ts';
import type { View } from '../view.ts';

/** Yields the value as one JSON document: indented and escaped on a terminal, otherwise on one line and unescaped. */
export function* jsonResult(value: unknown, reply: Reply | undefined, view: View): Generator<string> {
  const style = { indent: view.terminal, escapeControls: view.terminal };
  yield* jsonPieces(selectData(value, reply, view), style);
  yield '\n';
}

/** Yields one line of JSON for each row of a list, or one line for a single value. */
export function* ndjsonResult(value: unknown, reply: Reply | undefined, view: View): Generator<string> {
  const selected = selectData(value, reply, view);
  const rows: readonly unknown[] = Array.isArray(selected) ? selected : [selected];
  for (const row of rows) yield `${writeJson(row, { escapeControls: view.terminal })}\n`;
}

export function selectData(value: unknown, reply: Reply | undefined, view: View): unknown {
  const fields: Fields = reply?.record?.fields ?? {};
  const arranged = arrangeValue(value === undefined ? { ok: true } : value, fields, view);
  if (!view.fields) return arranged;
  const fieldTree = fieldTreeOf(view.fields);
  const selectFields = (row: unknown) => {
    const rowTree = isUnreadStackRow(row) ? withStackAndError(fieldTree) : fieldTree;
    return withMaskedPaths(pickFields(row, fields, rowTree), row, fieldTree);
  };
  return Array.isArray(arranged) ? arranged.map(selectFields) : selectFields(arranged);
}

function withMaskedPaths(selected: unknown, row: unknown, fieldTree: FieldTree): unknown {
  const { masked } = (originalOf(row) ?? {}) as { readonly masked?: unknown };
  if (!isObject(selected) || !Array.isArray(masked)) return selected;
  const maskedPaths = masked.filter((path) => isPathSelected(String(path).split('.'), fieldTree));
  return maskedPaths.length === 0 ? selected : Object.assign(selected, { masked: maskedPaths });
}

function isPathSelected([name = '', ...below]: readonly string[], fieldTree: FieldTree): boolean {
  const { [name]: innerTree } = fieldTree;
  if (innerTree === undefined) return false;
  return Object.keys(innerTree).length === 0 || below.length === 0 || isPathSelected(below, innerTree);
}

/** Adds the only fields in the row of an unread stack, so that the row shows why all its other fields are null. */
function withStackAndError(fieldTree: FieldTree): FieldTree {
  return { ...fieldTree, stack: fieldTree['stack'] ?? {}, error: fieldTree['error'] ?? {} };
}

function arrangeValue(value: unknown, fields: Fields, view: View): unknown {
  const { where, sort, limit } = view;
  const usedFlags = Object.entries({ where, sort, limit }).filter(([, set]) => set !== undefined);
  if (usedFlags.length === 0) return value;
  if (Array.isArray(value)) return arrangeItems<unknown>(value, fields, view);
  const correction = { replace: usedFlags.map(([name]) => ({ word: `--${name}`, by: [] })) };
  throw new CliError('usage', 'only a list can be filtered, sorted or limited', { correction });
}

/** The requested fields as a tree: `id,outcome.code` is `{ id: {}, outcome: { code: {} } }`. */
interface FieldTree {
  [name: string]: FieldTree;
}

function fieldTreeOf(paths: readonly string[]): FieldTree {
  const fieldTree: FieldTree = {};
  const isWithinOther = (path: string) => paths.some((outerPath) => path.startsWith(`${outerPath}.`));
  // A path within another requested path is left out, because a requested field includes everything within it.
  for (const path of paths)
    if (!isWithinOther(path)) path.split('.').reduce((node, name) => (node[name] ??= {}), fieldTree);
  return fieldTree;
}

function pickFields(value: unknown, fields: Fields, fieldTree: FieldTree): unknown {
  if (Array.isArray(value)) return value.map((item) => pickFields(item, fields, fieldTree));
  // A nested field stays nested: `outcome.code` gives `{"outcome":{"code":1}}`.
  const treeEntries = Object.entries(fieldTree);
  if (treeEntries.length === 0 || !isObject(value)) return value ?? null;
  const sentRow = originalOf(value) as Row;
  const pickedRow = Object.fromEntries(
    treeEntries.map(([name, below]) => [name, pickFields(valueAtPath(fields, sentRow, name), {}, below)]),
  );
  for (const [name] of treeEntries) {
    const key = nameInRow(sentRow, name, Object.hasOwn(fields, name) ? fields[name] : undefined);
    if (key !== undefined) copySpelling(sentRow, key, pickedRow, name);
  }
  return pickedRow;
}

/** Returns the value of a JSON text with all its digits, or the text itself if `parseStrictJson` refuses the text. */
export async function parseOrText(text: string): Promise<unknown> {
  return parseStrictJson(text).catch(() => text);
}
