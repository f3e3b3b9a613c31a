/** A token for eyes: the last four characters at most, and none of a short one: `****7f3a`, `****`. */
export function maskToken(token: string): string {
  return token.length >= 20 ? `****${token.slice(-4)}` : '****';
}

/** Text of a server as a part of a message. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
