import type { CommanderError } from 'commander';
import type { Command } from '../../contract/command.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { Problem } from '../../problems/problem.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { globalOptions, longSpelling, plainWords, spellings } from '../arguments/options.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';
import { flagsMeant } from './other-words.ts';
import { removedFlag } from './removed-flags.ts';
import { followWords, unknownWord } from './unknown-word.ts';

/** What Commander refuses, in our words. */
export async function mistakeOf(
  { code, message }: CommanderError,
  argv: readonly string[],
  { tree, read }: { readonly tree: CommandNode; readonly read: ReadLine },
): Promise<Problem> {
  const removed = await removedFlag(argv, read);
  if (removed) return removed;
  const { strayAt, node, path } = followWords(tree, argv);
  if (code === 'commander.unknownCommand' && strayAt !== undefined)
    return unknownWord(argv, strayAt, { node, path, tree, read });
  // `error: unknown option '--jsn'\n(Did you mean --json?)`
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /'(.*)'/.exec(first) ?? [];
  const [, close] = /^\(Did you mean ([^ ]+)\?\)$/.exec(second) ?? [];
  // Without `--` in front of the program, its flags are taken for ours.
  const at =
    node.command?.output.kind === 'program' && !argv.includes('--') ? plainWords(argv)[path.length] : undefined;
  const program = at === undefined ? undefined : await meantCommand(argv.toSpliced(at, 0, '--'), read);
  const mended = program ? undefined : withKnownFlag(argv, word, close, node);
  const meant = program ?? (mended && (await meantCommand(mended, read)));
  const help = { path: path.join(' '), flags: ['--help'] };
  return new Problem('usage', first.replace(/'(.*)'/, '"$1"'), { hint: meant ?? help });
}

/** The arguments with the flag that was probably meant; undefined where nobody can tell. */
function withKnownFlag(
  argv: readonly string[],
  typed: string,
  close: string | undefined,
  { command }: CommandNode,
): readonly string[] | undefined {
  const at = argv.findIndex((arg) => arg === typed || arg.startsWith(`${typed}=`));
  if (at < 0) return undefined;
  const [name = '', ...value] = (argv[at] ?? '').split(/=(.*)/s, 2);
  const ours = flagsMeant(name) ?? (command && longerFlag(name, command));
  if (ours) return argv.toSpliced(at, 1, ...ours, ...value);
  if (close === undefined || isTarget(close)) return undefined;
  return argv.with(at, `${close}${(argv[at] ?? '').slice(typed.length)}`);
}

/** The only flag that begins so: `--rollout-strategy` for `--rollout`. */
function longerFlag(start: string, command: Command): readonly string[] | undefined {
  if (!/^--\w{3}/.test(start)) return undefined;
  const known = [...flagsOf(command), ...globalOptions.map((option) => ({ long: longSpelling(option) }))];
  const found = known
    .map(({ long }) => long)
    .filter((long) => long.startsWith(start) && long !== start && !isTarget(long));
  return found.length === 1 ? found : undefined;
}

/** Whether a flag chooses what a command acts on: nobody shall paste another target than the one that was meant. */
export function isTarget(flag: string): boolean {
  return globalOptions.some(
    ({ where, flags }) => (where === 'place' || where === 'connection') && spellings(flags).includes(flag),
  );
}
