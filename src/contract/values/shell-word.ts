/** An argument quoted for a shell: unchanged when harmless, else in single quotes. */
export function shellWord(word: string): string {
  // In front, zsh expands =, and fish %.
  return /^(?![=%])[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word);
}

/** Quotes a text with single quotes; ' and \ stand outside of them, because fish takes \ for an escape within. */
export function quotedWord(word: string): string {
  return `'${word.replace(/['\\]/g, "'\\$&'")}'`;
}

/** What quotes an argument for the shells of a platform, which is named as in Node. */
export function wordQuoter(platform = ''): (word: string) => string {
  return platform.startsWith('win32') ? windowsWord : shellWord;
}

/** In the double quotes that PowerShell and cmd read alike; what they read differently is quoted for PowerShell alone. */
function windowsWord(word: string): string {
  // PowerShell takes a, b for a list, and parts -a.b before the dot.
  if (/^(?!-.*[.:])[\w+=:./\\-]+$/.test(word)) return word;
  return /["“”„$`%]|\\$/.test(word) ? `'${word.replace(/['‘’‚‛]/g, '$&$&')}'` : `"${word}"`;
}

export const placeholder = '<value>';

/** Quotes an argument that may contain a placeholder. The placeholder stays unquoted, so a shell refuses it. */
export function veiledShellWord(word: string): string {
  if (!word.includes(placeholder)) return shellWord(word);
  const quoted = (part: string) => (part === '' ? '' : shellWord(part));
  return word.split(placeholder).map(quoted).join(placeholder);
}
