/** Returns the text as one line of at most `maxLength` characters. A cut text ends with `…`. */
export function oneLine(text: string, maxLength?: number): string {
  return shortened(text.replace(/\s+/g, ' ').trim(), maxLength);
}

export function shortened(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}

export const mask = '***';

/** Masks every member that is not null or empty. The added member `masked` lists the names of the masked members. */
export function maskMembers<Members extends Readonly<Record<string, unknown>>>(members: Members) {
  const maskedNames = Object.keys(members).filter((name) => members[name] != null && members[name] !== '');
  if (maskedNames.length === 0) return members;
  return { ...members, ...Object.fromEntries(maskedNames.map((name) => [name, mask])), masked: maskedNames } as Members;
}

const secretNamePattern = /PASSW|SECRET|TOKEN|CREDENTIAL|PRIVATE|(?:^|[_.])(?:KEY|PASS|PWD)(?:[_.]|$)/i;
/** Matches the name and the password in an address, or a token in their place. */
const loginInAddressPattern = /(?<=:\/\/)(?:[^/\s@:]*:[^/\s@]*|[^/\s@]{20,})(?=@)/;
const secretAssignmentPattern =
  /(?:passw(?:or)?d|passphrase|(?<![a-z])(?:pass|pwd)|secret|token|credentials?|(?:api|access|private|secret)[_-]?key)=/;
/** Matches a value in quotes, or up to a blank or the next `name=`. Masks, placeholders and truth values do not match. */
const assignedValuePattern =
  /(?!\*{3}|<value>|(?:true|false)\b)(?:\\?"[^"\\]*\\?"|'[^']*'|(?:\\.|[^\s&;,"'\\]|[;,](?!\s|\w+=|$))+)/;
/** Matches a secret in a text: a login in an address, and the value in `password=…`, `--api-key=…` and the like. */
export const secretInTextPattern = new RegExp(
  `${loginInAddressPattern.source}|(?<=${secretAssignmentPattern.source})${assignedValuePattern.source}`,
  'i',
);

export function replaceSecretsInText(text: string, replacementFor: (secret: string) => string): string {
  return text.replaceAll(new RegExp(secretInTextPattern, 'gi'), replacementFor);
}

export function maskSecretsInText(text: string): string {
  return replaceSecretsInText(text, () => mask);
}

/** True for a name that suggests a secret, and for a value that contains one. */
export function suggestsSecret(name: string, value: string): boolean {
  return secretNamePattern.test(name) || secretInTextPattern.test(value);
}

/** Returns a number of bytes as text: `4.2 GiB`, `512 B`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let size = bytes;
  let unitIndex = 0;
  // 1023.95 is the smallest size that would be rounded to 1024.0, so it gets the next unit.
  while (Math.abs(size) >= (unitIndex === 0 ? 1024 : 1023.95) && unitIndex < units.length - 1) {
    size /= 1024;
    unitIndex += 1;
  }
  return `${unitIndex === 0 ? size : size.toFixed(1)} ${units[unitIndex]}`;
}

/** Quotes an argument for a POSIX shell or fish: unchanged when harmless, else in single quotes. */
export function shellWord(word: string): string {
  // zsh expands a = at the beginning of a word, and fish a %, so such a word is quoted.
  return /^(?![=%])[\w@%+=:,./-]+$/.test(word) ? word : singleQuoted(word);
}

/** Quotes a text with single quotes. ' and \ stay outside of the quotes, because fish reads \ inside as an escape. */
export function singleQuoted(word: string): string {
  return `'${word.replace(/['\\]/g, "'\\$&'")}'`;
}

/** Returns the function that quotes a word for the shells of an operating system, as Node names it: `win32`. */
export function wordQuoter(platform = ''): (word: string) => string {
  return platform.startsWith('win32') ? quoteForWindows : shellWord;
}

/** Matches words that need no quotes on Windows. PowerShell reads a comma as a list, and splits -a.b at the dot. */
const plainOnWindowsPattern = /^(?!-.*[.:])[\w+=:./\\-]+$/;

/** True when all shells of the platform read the quoted word alike. On Windows cmd and PowerShell differ. */
export function isQuotable(word: string, platform = ''): boolean {
  return !platform.startsWith('win32') || plainOnWindowsPattern.test(word) || !/["“”„$`%]|\\$/.test(word);
}

/** Quotes a word for PowerShell and cmd. A word that these two read differently is quoted for PowerShell. */
function quoteForWindows(word: string): string {
  if (plainOnWindowsPattern.test(word)) return word;
  return isQuotable(word, 'win32') ? `"${word}"` : `'${word.replace(/['‘’‚‛]/g, '$&$&')}'`;
}

export const placeholder = '<value>';

/** Quotes an argument that may contain a placeholder. The placeholder stays unquoted, so a shell refuses the line. */
export function quoteWithPlaceholder(word: string): string {
  if (!word.includes(placeholder)) return shellWord(word);
  const quotePart = (part: string) => (part === '' ? '' : shellWord(part));
  return word.split(placeholder).map(quotePart).join(placeholder);
}

/** True for a pattern of names: `*` matches any text, `?` one character. */
export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** True if the pattern matches the whole name. A regular expression, which could be slow, is not used. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [letters, parts] = [[...name], [...pattern]];
  let [at, partAt, lastStarAt, retryAt] = [0, 0, -1, 0];
  while (at < letters.length) {
    if (parts[partAt] === '*') {
      lastStarAt = partAt++;
      retryAt = at;
    } else if (parts[partAt] === '?' || parts[partAt] === letters[at]) {
      at++;
      partAt++;
    } else if (lastStarAt >= 0) {
      partAt = lastStarAt + 1;
      at = ++retryAt;
    } else return false;
  }
  return parts.slice(partAt).every((part) => part === '*');
}

/** Returns the first seven digits of a commit hash, other text unchanged, and `unknown` without a text. */
export function shortHash(hash: string | null | undefined): string {
  if (!hash) return 'unknown';
  return isFullHash(hash) ? hash.slice(0, 7) : hash;
}

export function isFullHash(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

/** True for hashes of the same commit, in upper or lower case. One hash may be cut, but not below seven digits. */
export function isSameCommit(one: string | null | undefined, other: string | null | undefined): boolean {
  if (!one || !other) return false;
  const hashes = [one.toLowerCase(), other.toLowerCase()];
  const [short = '', long = ''] = hashes.toSorted((a, b) => a.length - b.length);
  return short === long || (/^[0-9a-f]{7,}$/.test(short) && long.startsWith(short));
}

/** True for a URL of this machine: 127.0.0.0/8, [::1] or localhost. */
export function isLoopback({ hostname }: { readonly hostname: string }): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
}
