import type { Field, Fields } from './field.ts';
import { isObject, type JsonObject } from './values/json-object.ts';

/** True when a value has the type that its field declares. */
export function matches(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) return mayBeAbsent(field);
  switch (field.kind) {
    case 'text':
    case 'choice':
      return typeof value === 'string';
    case 'integer':
      // A share, a size or a time may have a fraction; a count and an id have none.
      return typeof value === 'number' && isWhole(field, value);
    case 'flag':
      return typeof value === 'boolean';
    case 'instant':
      return typeof value === 'string' && isMoment.test(value);
    case 'many':
      return Array.isArray(value) && value.every((item) => matches(field.of as Field, item));
    case 'map':
      return isObject(value) && Object.values(value).every((item) => matches(field.of as Field, item));
    case 'group':
      return isObject(value) && groupMatches(field.of as Fields, value);
    case 'opaque':
      return true;
  }
}

export function isWhole({ unit }: Field, value: number): boolean {
  return unit !== undefined || Number.isInteger(value);
}

const isMoment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

export function groupMatches(fields: Fields, value: JsonObject): boolean {
  for (const name in fields) {
    const field = fields[name] as Field;
    if (nameAmong(value, name, field) !== name || !matches(field, value[name])) return false;
  }
  return true;
}

export function mayBeAbsent({ presence, nullable, kind, needed }: Field): boolean {
  // An absent value is displayed as absent; a reply without its key or its counts is unusable.
  const isNeeded = kind === 'map' || needed === true;
  return !isNeeded || presence === 'optional' || nullable === true;
}

export function nameAmong(sent: JsonObject, name: string, { aliases }: Field): string {
  if (aliases === undefined || Object.hasOwn(sent, name)) return name;
  return aliases.find((other) => Object.hasOwn(sent, other)) ?? name;
}
