import type { Fields } from '../../contract/field.ts';
import type { Row } from '../../contract/record.ts';
import type { Reply } from '../../contract/reply.ts';
import { isObject, original } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { copySpelling, readJson } from '../../json/read.ts';
import { jsonPieces, writeJson } from '../../json/write.ts';
import { nameIn, valueAtPath } from '../field-path.ts';
import { arrange, isUnreadStack } from '../filter-sort.ts';
import type { View } from '../view.ts';

/** Yields the value as one JSON document: indented and escaped on a terminal, otherwise on one line and unescaped. */
export function* jsonResult(value: unknown, reply: Reply | undefined, view: View): Generator<string> {
  const style = { indent: view.terminal, escapeControls: view.terminal };
  yield* jsonPieces(chooseValue(value, reply, view), style);
  yield '\n';
}

/** Yields one line of JSON for each row of a list, or one line for a single value. */
export function* ndjsonResult(value: unknown, reply: Reply | undefined, view: View): Generator<string> {
  const selected = chooseValue(value, reply, view);
  const rows: readonly unknown[] = Array.isArray(selected) ? selected : [selected];
  for (const row of rows) yield `${writeJson(row, { indent: false, escapeControls: view.terminal })}\n`;
}

/** Returns the value with only the requested fields, filtered, sorted and limited as requested. */
export function chooseValue(value: unknown, reply: Reply | undefined, view: View): unknown {
  const fields: Fields = reply?.record?.fields ?? {};
  const arranged = arrangeValue(value === undefined ? { ok: true } : value, fields, view);
  if (!view.fields) return arranged;
  const choice = choiceOf(view.fields);
  const selectFields = (row: unknown) =>
    withMaskedPaths(pick(row, fields, isUnreadStack(row) ? withStackAndError(choice) : choice), row, choice);
  return Array.isArray(arranged) ? arranged.map(selectFields) : selectFields(arranged);
}

function withMaskedPaths(selected: unknown, row: unknown, choice: Choice): unknown {
  const { masked } = (original(row) ?? {}) as { readonly masked?: unknown };
  if (!isObject(selected) || !Array.isArray(masked)) return selected;
  const maskedPaths = masked.filter((path) => isChosen(String(path).split('.'), choice));
  return maskedPaths.length === 0 ? selected : Object.assign(selected, { masked: maskedPaths });
}

function isChosen([name = '', ...below]: readonly string[], choice: Choice): boolean {
  const { [name]: inner } = choice;
  if (inner === undefined) return false;
  return Object.keys(inner).length === 0 || below.length === 0 || isChosen(below, inner);
}

/** Adds the only fields in the row of an unread stack, so that the row shows why all its other fields are null. */
function withStackAndError(choice: Choice): Choice {
  return { ...choice, stack: choice['stack'] ?? {}, error: choice['error'] ?? {} };
}

function arrangeValue(value: unknown, fields: Fields, view: View): unknown {
  const { where, sort, limit } = view;
  const flags = Object.entries({ where, sort, limit }).flatMap(([name, set]) =>
    set === undefined ? [] : [`--${name}`],
  );
  if (flags.length === 0) return value;
  if (Array.isArray(value)) return arrange<unknown>(value, fields, view);
  const replace = flags.map((word) => ({ word, by: [] }));
  throw new CliError('usage', 'only a list can be filtered, sorted or limited', { correction: { replace } });
}

/** The requested fields as a tree: `id,outcome.code` is `{ id: {}, outcome: { code: {} } }`. */
interface Choice {
  [name: string]: Choice;
}

function choiceOf(paths: readonly string[]): Choice {
  const choice: Choice = {};
  const isWithin = (path: string) => paths.some((outerPath) => path.startsWith(`${outerPath}.`));
  // A path within another requested path is left out, because a requested field includes everything within it.
  for (const path of paths) if (!isWithin(path)) path.split('.').reduce((at, name) => (at[name] ??= {}), choice);
  return choice;
}

function pick(value: unknown, fields: Fields, choice: Choice): unknown {
  if (Array.isArray(value)) return value.map((item) => pick(item, fields, choice));
  // A nested field stays nested: `outcome.code` gives `{"outcome":{"code":1}}`.
  const names = Object.entries(choice);
  if (names.length === 0 || !isObject(value)) return value ?? null;
  const sent = original(value) as Row;
  const picked = Object.fromEntries(
    names.map(([name, below]) => [name, pick(valueAtPath(fields, sent, name), {}, below)]),
  );
  for (const [name] of names) {
    const key = nameIn(sent, name, Object.hasOwn(fields, name) ? fields[name] : undefined);
    if (key !== undefined) copySpelling({ holder: sent, key }, { holder: picked, key: name });
  }
  return picked;
}

/** Returns the value of a JSON text with all its digits, or the text itself if `readJson` refuses the text. */
export async function parseOrText(text: string): Promise<unknown> {
  return readJson(text).catch(() => text);
}
