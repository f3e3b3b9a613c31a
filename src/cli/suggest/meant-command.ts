import type { CommandLine } from '../../contract/command-line.ts';
import { Problem } from '../../problems/problem.ts';
import { readInput } from '../arguments/input.ts';
import type { Invocation, TypedCommand } from '../arguments/invocation.ts';
import { plainWords } from '../arguments/options.ts';
import { readWaitOptions } from '../arguments/wait-options.ts';
import { sameCommand } from './same-command.ts';

export type ReadLine = (argv: readonly string[]) => Promise<Invocation>;

/** The command that these words ask for; undefined where they ask for none that could run, or hold a value. */
export async function meantCommand(argv: readonly string[], read: ReadLine): Promise<CommandLine | undefined> {
  try {
    const meant = await read(argv);
    if (meant.kind === 'run') return (await isComplete(meant)) ? sameCommand(meant) : undefined;
    const path = plainWords(argv).map((at) => argv[at]);
    return { path: path.join(' '), flags: argv.filter((word) => ['--version', '--help', '-h'].includes(word)) };
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

/** Throws usage for words that are missing, too many or unfit, and for a wait on a read; nothing is looked up. */
async function isComplete(line: TypedCommand): Promise<boolean> {
  readWaitOptions(line);
  const nothing = async () => '';
  await readInput(line, { place: nothing, readText: nothing });
  return true;
}
