import { type Field, type Fields, isField } from '../contract/field.ts';
import type { JsonObject } from '../contract/values/json-object.ts';

/**
 * Adds the declared name to every field that came under another name, so that other code needs only the declared one.
 * The added name is not enumerable: JSON shows what was sent.
 */
export function nameAliases(fields: Fields | undefined, value: unknown): void {
  if (!fields || typeof value !== 'object' || value === null) return;
  const concerned = Object.entries<Field>(fields).filter(([, field]) => field.aka || innerFields(field));
  for (const row of Array.isArray(value) ? value : [value]) {
    if (typeof row !== 'object' || row === null) continue;
    for (const [name, field] of concerned) nameField(row as JsonObject, name, field);
  }
}

function nameField(row: JsonObject, name: string, field: Field): void {
  const sent = [name, ...(field.aka ?? [])].find((known) => Object.hasOwn(row, known));
  if (sent === undefined) return;
  if (sent !== name) Object.defineProperty(row, name, { value: row[sent], enumerable: false });
  nameAliases(innerFields(field), row[sent]);
}

/** Those of a group, or of the groups in a list. */
function innerFields({ kind, of }: Field): Fields | undefined {
  const inner = kind === 'many' && isField(of) ? of.of : of;
  return isField(inner) ? undefined : inner;
}
