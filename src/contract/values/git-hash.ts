/** The first seven digits, as people name commits; what is no hash stays whole. */
export function shortHash(hash: string): string {
  return /^[0-9a-f]{40,64}$/.test(hash) ? hash.slice(0, 7) : hash;
}
