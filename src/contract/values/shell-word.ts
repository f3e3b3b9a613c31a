/** An argument quoted for a shell: unchanged when harmless, else in single quotes. */
export function shellWord(word: string): string {
  // At the beginning of a word zsh expands =, and fish %.
  return /^(?![=%])[\w@%+=:,./-]+$/.test(word) ? word : quotedWord(word);
}

/** Quotes a text with single quotes; ' and \ are outside of them, because fish reads \ as an escape inside. */
export function quotedWord(word: string): string {
  return `'${word.replace(/['\\]/g, "'\\$&'")}'`;
}

/** The quoting function for the shells of a platform, as Node names it. */
export function wordQuoter(platform = ''): (word: string) => string {
  return platform.startsWith('win32') ? windowsWord : shellWord;
}

/** PowerShell reads a, b as a list, and splits -a.b at the dot. */
const plainOnWindows = /^(?!-.*[.:])[\w+=:./\\-]+$/;

/** True when every shell of the platform reads the quoted word alike: cmd and PowerShell differ. */
export function isQuotable(word: string, platform = ''): boolean {
  return !platform.startsWith('win32') || plainOnWindows.test(word) || !/["“”„$`%]|\\$/.test(word);
}

/** Quotes for PowerShell and cmd; a word that they read differently is quoted for PowerShell. */
function windowsWord(word: string): string {
  if (plainOnWindows.test(word)) return word;
  return isQuotable(word, 'win32') ? `"${word}"` : `'${word.replace(/['‘’‚‛]/g, '$&$&')}'`;
}

export const placeholder = '<value>';

/** Quotes an argument that may contain a placeholder. The placeholder stays unquoted, so a shell refuses it. */
export function veiledShellWord(word: string): string {
  if (!word.includes(placeholder)) return shellWord(word);
  const quoted = (part: string) => (part === '' ? '' : shellWord(part));
  return word.split(placeholder).map(quoted).join(placeholder);
}
