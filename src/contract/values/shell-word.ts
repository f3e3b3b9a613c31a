/** An argument quoted for a shell: unchanged when harmless, else in single quotes. */
export function shellWord(word: string): string {
  // In front, zsh expands =, and fish %.
  return /^(?![=%])[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word);
}

/** Quotes a text with single quotes; ' and \ stand outside of them, because fish takes \ for an escape within. */
export function quotedWord(word: string): string {
  return `'${word.replace(/['\\]/g, "'\\$&'")}'`;
}

/** A placeholder for a value. */
export const placeholder = '<value>';

/** Quotes an argument that may contain a placeholder. The placeholder stays unquoted, so a shell refuses it. */
export function veiledShellWord(word: string): string {
  if (!word.includes(placeholder)) return shellWord(word);
  const quoted = (part: string) => (part === '' ? '' : shellWord(part));
  return word.split(placeholder).map(quoted).join(placeholder);
}
