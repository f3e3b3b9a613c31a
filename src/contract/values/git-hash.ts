/** The first seven digits of a commit hash; other text stays unchanged. */
export function shortHash(hash: string): string {
  return /^[0-9a-f]{40,64}$/.test(hash) ? hash.slice(0, 7) : hash;
}
