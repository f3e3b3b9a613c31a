/** A text as one line of at most `most` characters; a cut text ends with `…`. */
export function oneLine(text: string, most?: number): string {
  return shortened(text.replace(/\s+/g, ' ').trim(), most);
}

export function shortened(text: string, most = Number.POSITIVE_INFINITY): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}

/** Replaces a hidden secret. */
export const mask = '***';

/** Masks every value except null and empty ones; `masked` lists their names. */
export function maskMembers<Members extends Readonly<Record<string, unknown>>>(members: Members) {
  const masked = Object.keys(members).filter((name) => members[name] != null && members[name] !== '');
  if (masked.length === 0) return members;
  return { ...members, ...Object.fromEntries(masked.map((name) => [name, mask])), masked } as Members;
}

const secretName = /PASSW|SECRET|TOKEN|CREDENTIAL|PRIVATE|(?:^|[_.])(?:KEY|PASS|PWD)(?:[_.]|$)/i;
/** The name and the password in an address, or a token in their place. */
export const loginInAddress = /(?<=:\/\/)(?:[^/\s@:]*:[^/\s@]*|[^/\s@]{20,})(?=@)/;

/** The text with `***` in place of each login in an address. */
export function withoutLogins(value: string): string {
  return value.replaceAll(new RegExp(loginInAddress, 'g'), mask);
}

/** True for a name that suggests a secret, and for an address with a password. */
export function suggestsSecret(name: string, value: string): boolean {
  return secretName.test(name) || loginInAddress.test(value);
}

/** `4.2 GiB`, `512 B`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let size = bytes;
  let unit = 0;
  // 1023.95 would print as 1024.0 in the smaller unit.
  while (Math.abs(size) >= (unit === 0 ? 1024 : 1023.95) && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}

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

/** True for a pattern of names: `*` matches any text, `?` one character. */
export function isPattern(text: string): boolean {
  return /[*?]/.test(text);
}

/** Matches the whole name. A regular expression could take exponential time for `*a*a*a*b`. */
export function matchesPattern(name: string, pattern: string): boolean {
  const [text, parts] = [[...name], [...pattern]];
  let [at, next, star, from] = [0, 0, -1, 0];
  while (at < text.length) {
    if (parts[next] === '*') {
      star = next++;
      from = at;
    } else if (parts[next] === '?' || parts[next] === text[at]) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++from;
    } else return false;
  }
  return parts.slice(next).every((one) => one === '*');
}

/** The first seven digits of a commit hash. Other text stays unchanged; without a hash it is `unknown`. */
export function shortHash(hash: string | null | undefined): string {
  if (!hash) return 'unknown';
  return isFullHash(hash) ? hash.slice(0, 7) : hash;
}

export function isFullHash(text: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/i.test(text);
}

/** Compares commit hashes in any case; one of them may be cut to its first digits, at least seven. */
export function isSameCommit(one: string | null | undefined, other: string | null | undefined): boolean {
  if (!one || !other) return false;
  const [short, long] = [one.toLowerCase(), other.toLowerCase()].toSorted((a, b) => a.length - b.length);
  if (short === long) return true;
  return short !== undefined && /^[0-9a-f]{7,}$/.test(short) && long?.startsWith(short) === true;
}

/** True for a URL of this machine: 127.0.0.0/8, [::1] or localhost. */
export function isLoopback({ hostname }: { readonly hostname: string }): boolean {
  return /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname);
}
