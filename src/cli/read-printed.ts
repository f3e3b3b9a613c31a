import { type CommandLine, commandWords } from '../contract/command-line.ts';
import type { Field, ResolvePlace } from '../contract/field.ts';
import { Problem } from '../problems/problem.ts';
import { readInput } from './arguments/input.ts';
import { readCommandLine } from './arguments/program.ts';
import { growAround } from './stackops.ts';
import type { World } from './world.ts';

/** Reads a printed command as if it had been typed, and runs nothing. Throws usage for one that cannot be, or reads a file. */
export async function readPrinted(
  line: CommandLine,
  { nouns, place }: Pick<World, 'nouns'> & { readonly place: ResolvePlace },
) {
  const [first, second] = line.path.split(' ');
  const tree = await growAround(
    nouns.find(({ name }) => name === first),
    nouns,
    second,
  );
  const typed = await readCommandLine(commandWords(line), tree, '');
  if (typed.kind === 'text') throw new Problem('usage', `"${line.path}" is no command`);
  const { stack, serverGroup, account } = typed.options;
  const given = { stack, 'server-group': serverGroup, account };
  const placeGiven: ResolvePlace = (field, word, placed) =>
    place(field, word ?? (field.place && given[field.place]), placed);
  const readText = async () => {
    throw new Problem('usage', `"${line.path}" reads a file`);
  };
  const input = await readInput(typed, { place: placeGiven, readText });
  return { command: typed.command, input, place: (field: Field) => placeGiven(field, undefined, {}) };
}
