/** A masked token: at most its last four characters, none of a short one: `****7f3a`, `****`. */
export function maskToken(token: string): string {
  return token.length >= 20 ? `****${token.slice(-4)}` : '****';
}

/** Text from a server, made safe for a message. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
