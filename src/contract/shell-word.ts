/** A word as a shell takes it back: bare when harmless, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A command as it can be pasted: `commandLine('db', 'delete', 'reports')` is `stackops db delete reports`. */
export function commandLine(...words: readonly string[]): string {
  return ['stackops', ...words.map(shellWord)].join(' ');
}

/** A flag with its value; one that looks like a flag itself stays joined to its own: `--name=-x`. */
export function flagWords(flag: string, value: string): readonly string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}
