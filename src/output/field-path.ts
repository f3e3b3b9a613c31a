import { type Field, type Fields, isField, text } from '../contract/field.ts';
import type { Row } from '../contract/record.ts';
import { isObject, original } from '../contract/values/json.ts';

/**
 * The field at a dotted path (`outcome.code`), or undefined. An opaque value or a map has any field. A coded field
 * (`status`) also has its words (`status_text`).
 */
export function fieldAt(fields: Fields, path: string): Field | undefined {
  const [name = '', ...rest] = path.split('.');
  const first = declared(fields, name)?.[1] ?? wordField(fields, name);
  return rest.reduce<Field | undefined>((field, step) => field && inner(field, step), first);
}

/** Every path of a field: its own name, that of its words, and `group.name` within groups. */
export function knownPaths(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    name,
    ...(field.meanings && !Object.hasOwn(fields, name + wordsSuffix) ? [name + wordsSuffix] : []),
    ...Object.keys(innerFields(field) ?? {}).map((step) => `${name}.${step}`),
  ]);
}

/** The value at a dotted path, also under an alias of the field; for a list the values of its items. */
export function valueAtPath(fields: Fields, row: Row, path: string): unknown {
  const [name = '', ...rest] = path.split('.');
  return rest.reduce<unknown>((value, step) => stepInto(value, step), ownValue(fields, row, name));
}

/** The name of a field in this row: its own, or its first alias that is present. */
export function nameIn(row: Row, name: string, field: Field | undefined): string | undefined {
  return [name, ...(field?.aliases ?? [])].find((known) => Object.prototype.propertyIsEnumerable.call(row, known));
}

function declared(fields: Fields, name: string): readonly [string, Field] | undefined {
  if (Object.hasOwn(fields, name)) return [name, fields[name] as Field];
  return Object.entries(fields).find(([, { aliases }]) => aliases?.includes(name));
}

function ownValue(fields: Fields, row: Row, name: string): unknown {
  const [own = name, field] = declared(fields, name) ?? [];
  const found = nameIn(row, name, field) ?? nameIn(row, own, field);
  if (found !== undefined) return row[found];
  // A value of the wrong type is shown as it was sent.
  const sent = original(row);
  if (sent !== row) return ownValue(fields, sent as Row, name);
  const coded = codesOf(fields, name);
  const code = coded && ownValue(fields, row, coded.codes);
  // A code without a word becomes text.
  return typeof code === 'number' || typeof code === 'bigint' ? (coded?.meanings[Number(code)] ?? String(code)) : code;
}

/** The end of the name of a field of words. */
export const wordsSuffix = '_text';

function wordField(fields: Fields, name: string): Field | undefined {
  const coded = codesOf(fields, name);
  return coded && text(coded.about.replace(/\.$/, ', in words.'), { meanings: coded.meanings });
}

/** `status` for `status_text`. */
function codesOf(fields: Fields, name: string) {
  const codes = name.slice(0, -wordsSuffix.length);
  if (!name.endsWith(wordsSuffix) || !Object.hasOwn(fields, codes)) return undefined;
  const { about, meanings } = fields[codes] as Field;
  return meanings && { codes, about, meanings };
}

function inner(field: Field, step: string): Field | undefined {
  if (field.kind === 'opaque') return field;
  if (field.kind === 'map' && isField(field.of)) return field.of;
  const fields = innerFields(field);
  return fields && Object.hasOwn(fields, step) ? fields[step] : undefined;
}

/** The fields of a group, or of the groups in a list. */
export function innerFields(field: Field): Fields | undefined {
  if (!field.of) return undefined;
  if (isField(field.of)) return field.kind === 'many' ? innerFields(field.of) : undefined;
  return field.of;
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value.map((item) => stepInto(item, step));
  return isObject(value) ? ownValue({}, value, step) : undefined;
}

/** `-started_at` without the minus sign. */
export function sortPath(sort: string): string {
  return sort.startsWith('-') ? sort.slice(1) : sort;
}
