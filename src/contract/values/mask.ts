/** Replaces a hidden secret. */
export const mask = '***';

/** Masks every value except null and empty ones; `masked` lists their names. */
export function maskMembers<Members extends Readonly<Record<string, unknown>>>(members: Members) {
  const masked = Object.keys(members).filter((name) => members[name] != null && members[name] !== '');
  if (masked.length === 0) return members;
  return { ...members, ...Object.fromEntries(masked.map((name) => [name, mask])), masked } as Members;
}
