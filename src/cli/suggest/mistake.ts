import type { CommanderError } from 'commander';
import type { CommandNode } from '../../contract/tree.ts';
import { Problem } from '../../problems/problem.ts';
import { plainWords } from '../arguments/options.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';
import { removedFlag } from './removed-flags.ts';
import { withKnownFlag } from './unknown-flag.ts';
import { followWords, unknownWord } from './unknown-word.ts';

interface Reading {
  readonly tree: CommandNode;
  readonly read: ReadLine;
}

/** What Commander refuses, in our words. */
export async function mistakeOf(
  { code, message }: CommanderError,
  argv: readonly string[],
  { tree, read }: Reading,
): Promise<Problem> {
  const removed = await removedFlag(argv, read);
  if (removed) return removed;
  const { strayAt, ...reached } = followWords(tree, argv);
  const isStray = code === 'commander.unknownCommand' && strayAt !== undefined;
  return isStray ? unknownWord(argv, strayAt, { ...reached, read }) : usageProblem(message, argv, { tree, read });
}

/** `error: unknown option '--jsn'\n(Did you mean --json?)` becomes a message and the command as it was probably meant. */
async function usageProblem(message: string, argv: readonly string[], { tree, read }: Reading): Promise<Problem> {
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /'(.*)'/.exec(first) ?? [];
  const [, close] = /^\(Did you mean ([^ ]+)\?\)$/.exec(second) ?? [];
  const mended = withKnownFlag(argv, { typed: word, close }, followWords(tree, argv).node);
  const meant =
    (await programBehindDashes(argv, { tree, read })) ?? (mended ? await meantCommand(mended, read) : undefined);
  const help = { path: groupPath(argv, tree).join(' '), flags: ['--help'] };
  return new Problem('usage', first.replace(/'(.*)'/, '"$1"'), { hint: meant ?? help });
}

/** The same command with `--` in front of the program, whose flags were taken for ours. */
async function programBehindDashes(argv: readonly string[], { tree, read }: Reading) {
  const { node, path } = followWords(tree, argv);
  const at = plainWords(argv)[path.length];
  if (node.command?.output.kind !== 'program' || at === undefined || argv.includes('--')) return undefined;
  return meantCommand(argv.toSpliced(at, 0, '--'), read);
}

/** The words that are commands, as far as they go. */
function groupPath(argv: readonly string[], tree: CommandNode): readonly string[] {
  const path: string[] = [];
  let node: CommandNode | undefined = tree;
  for (const word of argv) {
    const child: CommandNode | undefined = node.children.get(word);
    if (!child) continue;
    path.push(word);
    node = child;
  }
  return path;
}
