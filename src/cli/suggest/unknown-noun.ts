import { growTree } from '../../contract/tree.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { answeredOptions, globalOptions, plainWords, spellings } from '../arguments/options.ts';
import type { TopLevelCommand } from '../world.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';
import { isTarget } from './mistake.ts';
import { removedFlag } from './removed-flags.ts';
import { unknownCommand } from './unknown-word.ts';
import { wordsMeant } from './words-meant.ts';

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
  const names = new Map(nouns.flatMap(({ name, aliases = {} }) => [[name, name] as const, ...Object.entries(aliases)]));
  const loadTree = async (name: string) =>
    growTree(await Promise.all(nouns.filter((noun) => noun.name === name).map((noun) => noun.load())));
  const known = await wordsMeant(argv, { names, loadTree, read });
  const meant = names.get(nearest(typed, names.keys()) ?? '');
  const command = meant && !known ? await meantCommand(argv.toSpliced(at, 1, ...meant.split(' ')), read) : undefined;
  return new Problem('usage', unknownCommand(typed), {
    hint: known ?? command ?? { path: meant ?? '', flags: ['--help'] },
  });
}
