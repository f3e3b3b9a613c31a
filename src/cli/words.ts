import { shellWord } from '../contract/shell-word.ts';

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
  return name === undefined ? withoutSignature(word) : `${name}=<value>`;
}

/** The query of an address may be a signature, and a name in front of its host comes with a password. */
function withoutSignature(word: string): string {
  return word.replace(/^(\w+:\/\/)[^/?#]*@/, '$1<value>@').replace(/^(\w+:\/\/[^?]*\?).+$/s, '$1<value>');
}
