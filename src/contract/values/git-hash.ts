/** The first seven digits of a commit hash; other text stays unchanged, and none is `unknown`. */
export function shortHash(hash: string | null | undefined): string {
  if (!hash) return 'unknown';
  return /^[0-9a-f]{40,64}$/.test(hash) ? hash.slice(0, 7) : hash;
}
