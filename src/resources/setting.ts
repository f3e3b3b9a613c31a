/** A setting as the lists of stacks and of servers show it. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly readonly?: boolean;
  readonly id?: unknown;
  readonly warning_text?: string;
}

/** The ID of a setting in a path: the one its list shows, else its key with dashes (`git.branch`: `git-branch`). */
export function settingId({ key, id }: Pick<Setting, 'key' | 'id'>): string {
  const listed = ['number', 'bigint', 'string'].includes(typeof id) ? String(id) : '';
  return listed === '' ? key.replaceAll('.', '-') : listed;
}

/** The value of a setting as it is sent: text unchanged, anything else as JSON. */
export function settingText(value: unknown): string {
  if (typeof value === 'string') return value;
  // Numbers beyond 2^53 are read as bigint, which JSON.stringify refuses.
  if (typeof value === 'bigint') return String(value);
  return JSON.stringify(value ?? null, (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner));
}
