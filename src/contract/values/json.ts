export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, false for null and lists. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an object as it is. Any other value becomes an empty object. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Attaches the value that the service sent, for JSON and YAML output. A copy of the object has no such value. */
export function withOriginal<Value extends object>(value: Value, sentValue: unknown): Value {
  return Object.defineProperty(value, 'toJSON', { configurable: true, value: () => sentValue });
}

/** Returns the value that `withOriginal` attached, else the value itself. */
export function originalOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** Returns the value for human-readable output: fields as they were read, other members as the service sent them. */
export function readableValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const sentValue = originalOf(value);
  if (sentValue === value) return { ...value };
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, member]) => member.enumerable);
  // A member whose value has the wrong type is a getter that throws.
  const typedMembers = members.flatMap(([name, member]) => ('value' in member ? [[name, member.value]] : []));
  return { ...(isObject(sentValue) && sentValue), ...Object.fromEntries(typedMembers) };
}

/** Maps each string in a value. `name` is the nearest key above it: "b" for the "x" of `{"a":{"b":["x"]}}`. */
export function mapTexts(value: unknown, map: (text: string, name: string) => string, name = ''): unknown {
  if (typeof value === 'string') return map(value, name);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map, key)]));
}

/** Returns a value as JSON on one line. An integer beyond 2^53, a bigint that JSON.stringify refuses, becomes text. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value ?? null, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}

/** Returns a value as text for a sentence: `-` for no value. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === '') return '""';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'object' ? jsonText(value) : String(value);
}
