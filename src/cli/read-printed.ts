import { type CommandLine, commandWords } from '../contract/command-line.ts';
import type { Field, ResolvePlace } from '../contract/field.ts';
import { Problem } from '../errors/cli-error.ts';
import { readInput } from './arguments/input.ts';
import { readCommandLine } from './arguments/program.ts';
import { growAround } from './stackops.ts';
import type { World } from './app.ts';

/** Reads a printed command as if it had been typed, and runs nothing. Throws usage for one that cannot be, or reads a file. */
export async function readPrinted(
  { stack_id, server_group_id, account_id, ...line }: CommandLine,
  { nouns, place }: Pick<World, 'nouns'> & { readonly place: ResolvePlace },
) {
  const [first, ...words] = line.path.split(' ');
  const noun = nouns.find(({ name }) => name === first);
  const typed = await readCommandLine(commandWords(line), await growAround(noun, nouns, words), '');
  const refuse = async () => {
    throw new Problem('usage', `"${line.path}" cannot be run here`);
  };
  if (typed.kind === 'text') return refuse();
  // Where a line of ours acts stands beside its flags.
  const { profile, baseUrl, sandbox, stack, serverGroup, account } = typed.options;
  if ([profile, baseUrl, sandbox, stack, serverGroup, account].some((one) => one !== undefined)) return refuse();
  const given = { stack: stack_id, 'server-group': server_group_id, account: account_id };
  const placeOf: ResolvePlace = (field, word, placed) => {
    const id = field.place && given[field.place];
    return place(field, word ?? (id === undefined ? undefined : String(id)), placed);
  };
  const input = await readInput(typed, { place: placeOf, readText: refuse });
  return { command: typed.command, input, place: (field: Field) => placeOf(field, undefined, {}) };
}
