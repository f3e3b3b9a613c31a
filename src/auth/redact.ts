/** A token for eyes: the last four characters at most, and none of a short one: `****7f3a`, `****`. */
export function maskToken(token: string): string {
  return token.length >= 20 ? `****${token.slice(-4)}` : '****';
}

// Not a literal: its classes would be read at every start, and few runs need them.
const invisible = String.raw`[\p{C}\p{Zl}\p{Zp}\s]+`;

/** Text of a server on one line of a message: no control, format or line characters, 200 characters at most. */
export function plainLine(text: string): string {
  return text.replace(new RegExp(invisible, 'gu'), ' ').trim().slice(0, 200);
}
