/** The first seven digits of a commit hash; other text stays unchanged, and none is `unknown`. */
export function shortHash(hash: string | null | undefined): string {
  if (!hash) return 'unknown';
  return isFullHash(hash) ? hash.slice(0, 7) : hash;
}

export function isFullHash(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

/** Compares commit hashes in any case; one of them may be cut to its first digits, at least seven. */
export function isSameCommit(one: string | null | undefined, other: string | null | undefined): boolean {
  if (!one || !other) return false;
  const [short, long] = [one.toLowerCase(), other.toLowerCase()].toSorted((a, b) => a.length - b.length);
  if (short === long) return true;
  return short !== undefined && /^[0-9a-f]{7,}$/.test(short) && long?.startsWith(short) === true;
}
