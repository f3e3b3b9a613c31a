export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object, false for null and lists. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Attaches the value that the service sent, for JSON and YAML. It is stored as `toJSON`, which copies lose. */
export function withOriginal<Value extends object>(value: Value, sent: unknown): Value {
  return Object.defineProperty(value, 'toJSON', { configurable: true, value: () => sent });
}

/** The value as the service sent it. */
export function original(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('toJSON' in value)) return value;
  return typeof value.toJSON === 'function' ? value.toJSON() : value;
}

/** The value for people: members of the declared type as read, every other member as the service sent it. */
export function readableValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const sent = original(value);
  if (sent === value) return { ...value };
  const members = Object.entries(Object.getOwnPropertyDescriptors(value)).filter(([, one]) => one.enumerable);
  const read = members.flatMap(([name, one]) => ('value' in one ? [[name, one.value]] : []));
  return { ...(isObject(sent) && sent), ...Object.fromEntries(read) };
}

/** Maps each text in a value. `name` is the nearest key above it: in `{"a":{"b":["x"]}}` "x" has the name "b". */
export function mapTexts(value: unknown, map: (text: string, name: string) => string, name = ''): unknown {
  if (typeof value === 'string') return map(value, name);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map, key)]));
}

/** The text of a value in a sentence. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (value === '') return '""';
  if (Array.isArray(value)) return value.join(', ') || '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
