/** What is set to a value may be a secret; the placeholder is one that no shell passes on. */
export function shownWord(word: string): string {
  const bare = withoutValue(word);
  return bare === word ? shellWord(word) : bare;
}

/** The words of a command line as the journal keeps them. */
export function wordsForRecords(argv: readonly string[], repeatsValues: boolean): readonly string[] {
  return repeatsValues ? argv : argv.map(withoutValue);
}

function withoutValue(word: string): string {
  const [, name] = /^((?:--[\w-]+=|-[a-zA-Z])?[A-Za-z_][\w.[\]-]*)=/.exec(word) ?? [];
  return name === undefined ? word : `${name}=<value>`;
}

/** A word as a shell takes it back: bare when harmless, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
