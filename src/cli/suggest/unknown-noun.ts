import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { answeredOptions, globalOptions, plainWords, spellings } from '../arguments/options.ts';
import type { TopLevelCommand } from '../world.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';
import { isTarget } from './mistake.ts';
import { topWordsMeant } from './other-words.ts';
import { removedFlag } from './removed-flags.ts';

const knownSpellings = [...globalOptions, ...answeredOptions].flatMap(({ flags }) => spellings(flags));

const help = { path: '', flags: ['--help'] };

/** The mistake of a first word that is no command, and the command as it was probably meant. */
export async function unknownNoun(
  typed: string,
  argv: readonly string[],
  { nouns, read }: { readonly nouns: readonly TopLevelCommand[]; readonly read: ReadLine },
): Promise<Problem> {
  const removed = await removedFlag(argv, read);
  if (removed) return removed;
  const [at = 0] = plainWords(argv);
  const stray = argv[at - 1];
  // What looks like a command may be the value of a flag that nobody knows.
  if (stray?.startsWith('--') && !stray.includes('=') && !knownSpellings.includes(stray)) {
    const meant = nearest(stray, knownSpellings);
    const isSafe = meant !== undefined && !isTarget(meant);
    const command = isSafe ? await meantCommand(argv.with(at - 1, meant), read) : undefined;
    return new Problem('usage', `unknown option "${stray}" in front of a command`, { hint: command ?? help });
  }
  const aliases: Readonly<Record<string, string>> = Object.assign({}, ...nouns.map((noun) => noun.aliases));
  const names = [...nouns.map(({ name }) => name), ...Object.keys(aliases)];
  const meant = [topWordsMeant(typed, plainWords(argv).length === 1) ?? closest(typed, names, aliases) ?? []].flat();
  const command = meant.length > 0 ? await meantCommand(argv.toSpliced(at, 1, ...meant), read) : undefined;
  return new Problem('usage', `unknown command "${typed}"`, {
    hint: command ?? { path: meant.join(' '), flags: ['--help'] },
  });
}

/** The path of the name that is closest; an alias in full. */
function closest(typed: string, names: readonly string[], aliases: Readonly<Record<string, string>>) {
  const name = nearest(typed, names);
  return name === undefined ? undefined : (aliases[name] ?? name).split(' ');
}
