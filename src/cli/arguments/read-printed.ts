import { type CommandLine, commandWords } from '../../contract/command-line.ts';
import type { Field, ResolveTarget } from '../../contract/field.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { App } from '../app.ts';
import { readInput } from './input.ts';
import { readCommandLine } from './program.ts';
import { loadTreeAround } from './read-line.ts';

/** Reads a printed command as if it had been typed, and runs nothing. Throws usage for one that cannot be, or reads a file. */
export async function readPrinted(
  { stack_id, server_group_id, account_id, ...line }: CommandLine,
  topLevel: App['topLevel'],
  resolveStored: ResolveTarget,
) {
  const [first, ...words] = line.path.split(' ');
  const group = topLevel.find(({ name }) => name === first);
  const typed = await readCommandLine(commandWords(line), await loadTreeAround(group, topLevel, words), '');
  const refuse = async () => {
    throw new CliError('usage', `"${line.path}" cannot be run here`);
  };
  if (typed.kind === 'text') return refuse();
  // In a printed line the targets are separate from its flags.
  const { profile, base_url, sandbox, stack, server_group, account } = typed.options;
  if ([profile, base_url, sandbox, stack, server_group, account].some((one) => one !== undefined)) return refuse();
  const given = { stack: stack_id, 'server-group': server_group_id, account: account_id };
  const resolveTarget: ResolveTarget = (field, word, placed) => {
    const id = field.target && given[field.target];
    return resolveStored(field, word ?? (id === undefined ? undefined : String(id)), placed);
  };
  const input = await readInput(typed, { resolveTarget, readText: refuse });
  return { command: typed.command, input, resolveTarget: (field: Field) => resolveTarget(field, undefined, {}) };
}
