/** A word as a shell takes it back: bare when harmless, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word);
}

/** Single quotes by the rules of the shell. */
export function quotedWord(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Stands in the place of a value. */
export const placeholder = '<value>';

/** A word in which a placeholder may stand; that stays bare, and a shell that is given it refuses it. */
export function veiledShellWord(word: string): string {
  if (!word.includes(placeholder)) return shellWord(word);
  const quoted = (part: string) => (part === '' ? '' : shellWord(part));
  return word.split(placeholder).map(quoted).join(placeholder);
}
