/** Stands for a secret wherever one is not shown. */
export const mask = '***';

/** The same members with each value masked; `masked` names them. Null and empty values stay as they are. */
export function maskMembers<Members extends Readonly<Record<string, unknown>>>(members: Members) {
  const masked = Object.keys(members).filter((name) => members[name] != null && members[name] !== '');
  if (masked.length === 0) return members;
  return { ...members, ...Object.fromEntries(masked.map((name) => [name, mask])), masked } as Members;
}
