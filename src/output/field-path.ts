import { type Field, type Fields, isField, text } from '../contract/field.ts';
import type { Row } from '../contract/record.ts';
import { isObject, originalOf } from '../contract/values/json.ts';

/** Returns the field at a path (`outcome.code`); undefined if none. Any path in an opaque value or a map is a field. */
export function fieldAt(fields: Fields, path: string): Field | undefined {
  const [name = '', ...rest] = path.split('.');
  const firstField = declaredField(fields, name)?.[1] ?? wordField(fields, name);
  return rest.reduce<Field | undefined>((field, step) => field && innerField(field, step), firstField);
}

/** Returns the paths of all fields: each name, `status_text` if `status` has a word for each code, and `group.name`. */
export function allFieldPaths(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    name,
    ...(field.meanings && !Object.hasOwn(fields, name + wordsSuffix) ? [name + wordsSuffix] : []),
    ...Object.keys(innerFields(field) ?? {}).map((step) => `${name}.${step}`),
  ]);
}

/** Returns the value at a dotted path, also under an alias of the field. A path into a list gives a list of values. */
export function valueAtPath(fields: Fields, row: Row, path: string): unknown {
  const [name = '', ...rest] = path.split('.');
  return rest.reduce<unknown>((value, step) => stepInto(value, step), valueByName(fields, row, name));
}

/** Returns the name that a field has in this row: its own name, or its first alias in the row; undefined if absent. */
export function nameInRow(row: Row, name: string, field: Field | undefined): string | undefined {
  return [name, ...(field?.aliases ?? [])].find((known) => Object.prototype.propertyIsEnumerable.call(row, known));
}

function declaredField(fields: Fields, name: string): readonly [string, Field] | undefined {
  if (Object.hasOwn(fields, name)) return [name, fields[name] as Field];
  return Object.entries(fields).find(([, { aliases }]) => aliases?.includes(name));
}

function valueByName(fields: Fields, row: Row, name: string): unknown {
  const [declaredName = name, field] = declaredField(fields, name) ?? [];
  const key = nameInRow(row, name, field) ?? nameInRow(row, declaredName, field);
  if (key !== undefined) return row[key];
  // A value of the wrong type is not in the typed row, so it is taken from the row as sent.
  const sentRow = originalOf(row);
  if (sentRow !== row) return valueByName(fields, sentRow as Row, name);
  const codedField = codedFieldOf(fields, name);
  const code = codedField && valueByName(fields, row, codedField.name);
  // A code that has no word becomes text, that is, its digits.
  if (typeof code !== 'number' && typeof code !== 'bigint') return code;
  return codedField?.meanings[Number(code)] ?? String(code);
}

/** The suffix of a field that shows codes as words: `status_text` has the words for the codes in `status`. */
export const wordsSuffix = '_text';

function wordField(fields: Fields, name: string): Field | undefined {
  const codedField = codedFieldOf(fields, name);
  return codedField && text(codedField.about.replace(/\.$/, ', in words.'), { meanings: codedField.meanings });
}

/** Returns the field of codes (`status`) for the name of a field of words (`status_text`); undefined without one. */
function codedFieldOf(fields: Fields, name: string) {
  const codedName = name.slice(0, -wordsSuffix.length);
  if (!name.endsWith(wordsSuffix) || !Object.hasOwn(fields, codedName)) return undefined;
  const { about, meanings } = fields[codedName] as Field;
  return meanings && { name: codedName, about, meanings };
}

function innerField(field: Field, step: string): Field | undefined {
  if (field.kind === 'opaque') return field;
  if (field.kind === 'map' && isField(field.of)) return field.of;
  const fields = innerFields(field);
  return fields && Object.hasOwn(fields, step) ? fields[step] : undefined;
}

/** Returns the fields of a group, or of the groups in a list; undefined for any other field. */
export function innerFields(field: Field): Fields | undefined {
  if (!field.of) return undefined;
  if (isField(field.of)) return field.kind === 'many' ? innerFields(field.of) : undefined;
  return field.of;
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value.map((item) => stepInto(item, step));
  return isObject(value) ? valueByName({}, value, step) : undefined;
}

/** Returns the path of a `--sort` value: `-started_at` without the minus sign. */
export function sortPath(sort: string): string {
  return sort.startsWith('-') ? sort.slice(1) : sort;
}
