/** True for a URL of this machine: 127.0.0.0/8, [::1] or localhost. */
export function isLoopback({ hostname }: { readonly hostname: string }): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
}
