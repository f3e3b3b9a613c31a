import { type CommandLine, commandWords } from '../../contract/command-line.ts';
import type { Field, ResolveTarget } from '../../contract/field.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { App } from '../app.ts';
import { readInput } from './input.ts';
import { readCommandLine } from './program.ts';
import { loadTreeAround } from './read-line.ts';

/** Reads a printed command as if it was typed, and runs nothing. Throws `usage` if it is invalid or reads a file. */
export async function readPrintedCommand(printed: CommandLine, topLevel: App['topLevel'], resolve: ResolveTarget) {
  const { stack_id, server_group_id, account_id, ...line } = printed;
  const [first, ...words] = line.path.split(' ');
  const topLevelCommand = topLevel.find(({ name }) => name === first);
  const tree = await loadTreeAround(topLevelCommand, topLevel, words);
  const invocation = await readCommandLine(commandWords(line), tree, '');
  const refuseCommand = async () => {
    throw new CliError('usage', `"${line.path}" cannot be run here`);
  };
  if (invocation.kind === 'text') return refuseCommand();
  // The targets of a printed command are not among its flags, so these flags must be absent.
  const { profile, base_url, sandbox, stack, server_group, account } = invocation.options;
  if ((profile ?? base_url ?? sandbox ?? stack ?? server_group ?? account) !== undefined) return refuseCommand();
  const targetIds = { stack: stack_id, 'server-group': server_group_id, account: account_id };
  const resolveTarget: ResolveTarget = (field, word, parents) => {
    const id = field.target && targetIds[field.target];
    return resolve(field, word ?? id?.toString(), parents);
  };
  const input = await readInput(invocation, { resolveTarget, readText: refuseCommand });
  return { command: invocation.command, input, resolveTarget: (field: Field) => resolveTarget(field, undefined, {}) };
}
