/** A word as a shell takes it back: bare when harmless, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Stands in the place of a value. */
export const placeholder = '<value>';

/** A word in which a placeholder may stand; that stays bare, and a shell that is given it refuses it. */
export function veiledShellWord(word: string): string {
  if (!word.includes(placeholder)) return shellWord(word);
  const quoted = (part: string) => (part === '' ? '' : shellWord(part));
  return word.split(placeholder).map(quoted).join(placeholder);
}

/**
 * A command as it can be pasted: `commandLine('db', 'delete', 'reports')` is `stackops db delete reports`. Undefined where
 * a word holds what no line can show, such as a line feed.
 */
export function commandLine(...words: readonly string[]): string | undefined {
  if (words.some((word) => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(word))) return undefined;
  return ['stackops', ...words.map(shellWord)].join(' ');
}

/** A flag with its value; one that looks like a flag itself stays joined to its own: `--name=-x`. */
export function flagWords(flag: string, value: string): readonly string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}

/** A line of commands joined by `&&`, with flags at the end of each; they are taken as they are. */
export function withFlags(line: string, flags: readonly string[]): string {
  const tail = flags.map((flag) => ` ${flag}`).join('');
  return `${line.replaceAll(joint, (found, word?: string) => (word === undefined ? tail + found : found))}${tail}`;
}

/** Where one command ends and the next begins, and whatever else holds single quotes. */
const joint = /('[^']*'|\\')| && (?=stackops )/g;
