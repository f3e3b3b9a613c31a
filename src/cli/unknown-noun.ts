import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import { mendedCommand } from './hint.ts';
import { answeredOptions, globalOptions, plainWords, spellings } from './options.ts';
import { topWordsMeant } from './other-words.ts';
import type { Noun } from './world.ts';

const knownSpellings = [...globalOptions, ...answeredOptions].flatMap(({ flags }) => spellings(flags));

/** The mistake of a first word that is no command, and the command as it was probably meant. */
export function unknownNoun(typed: string, argv: readonly string[], nouns: readonly Noun[]): Problem {
  const [at = 0] = plainWords(argv);
  const stray = argv[at - 1];
  // What looks like a command may be the value of a flag that nobody knows.
  if (stray?.startsWith('--') && !stray.includes('=') && !knownSpellings.includes(stray)) {
    const meant = nearest(stray, knownSpellings);
    const hint = meant === undefined ? 'stackops --help' : mendedCommand(argv, at - 1, meant);
    return new Problem('usage', `unknown option "${stray}" in front of a command`, { hint });
  }
  const names = nouns.map(({ name }) => name);
  const meant = topWordsMeant(typed, plainWords(argv).length === 1) ?? nearest(typed, names);
  return new Problem('usage', `unknown command "${typed}"`, {
    hint: meant === undefined ? 'stackops --help' : mendedCommand(argv, at, meant),
  });
}
