import type { CommandNode } from '../contract/tree.ts';
import { nodeHelp } from './help.ts';
import { followWords, unknownWord } from './unknown-word.ts';

/**
 * The page of the command or group that the words name. Words behind a command are its own affair; one that names
 * nothing in a group is a mistake, and throws usage.
 */
export function helpPage(tree: CommandNode, argv: readonly string[]): string {
  const reached = followWords(tree, argv);
  if (reached.strayAt !== undefined) throw unknownWord(argv, reached.strayAt, reached);
  return nodeHelp(reached.node, reached.path);
}
