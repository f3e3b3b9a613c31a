import { isObject } from './json-object.ts';

/**
 * Makes an object that stands for another one that a service sent: as JSON it is the one that was sent. It is told by
 * `toJSON`, which every writer of JSON and YAML asks, and which no copy of the object takes along.
 */
export function withOriginal<Value extends object>(value: Value, sent: unknown): Value {
  return Object.defineProperty(value, 'toJSON', { configurable: true, value: () => sent });
}

/** A value as it was sent: itself, unless it stands in for another one. */
export function original(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** A value as it is shown: every member that can be read by its type, and every other as it was sent. */
export function shownValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const sent = original(value);
  if (sent === value) return { ...value };
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, one]) => one.enumerable);
  const read = members.flatMap(([name, one]) => ('value' in one ? [[name, one.value]] : []));
  return { ...(isObject(sent) && sent), ...Object.fromEntries(read) };
}
