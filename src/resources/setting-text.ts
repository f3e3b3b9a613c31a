/** The value of a setting as it travels: text as it is, anything else as JSON. */
export function settingText(value: unknown): string {
  if (typeof value === 'string') return value;
  // Numbers beyond 2^53 are read as bigint, which JSON.stringify refuses.
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value ?? null, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}
