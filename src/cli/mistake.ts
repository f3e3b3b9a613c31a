import type { CommanderError } from 'commander';
import type { CommandNode } from '../contract/tree.ts';
import { Problem } from '../problems/problem.ts';
import { mendedCommand } from './hint.ts';
import { followWords, unknownWord } from './unknown-word.ts';

/** What Commander refuses, in our words. */
export function mistakeOf({ code, message }: CommanderError, argv: readonly string[], tree: CommandNode): Problem {
  const { strayAt, ...reached } = followWords(tree, argv);
  const isStray = code === 'commander.unknownCommand' && strayAt !== undefined;
  return isStray ? unknownWord(argv, strayAt, reached) : usageProblem(message, argv, tree);
}

/** `error: unknown option '--jsn'\n(Did you mean --json?)` becomes a message and the command as it was probably meant. */
function usageProblem(message: string, argv: readonly string[], tree: CommandNode): Problem {
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /'(.*)'/.exec(first) ?? [];
  const [, close] = /^\(Did you mean ([^ ]+)\?\)$/.exec(second) ?? [];
  const mended = close !== undefined && argv.includes(word) ? mendedCommand(argv, word, close) : undefined;
  const help = ['stackops', ...groupPath(argv, tree), '--help'].join(' ');
  return new Problem('usage', first.replace(/'(.*)'/, '"$1"'), { hint: mended ?? help });
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
