import type { CommandNode } from '../../contract/tree.ts';
import type { ReadLine } from '../suggest/meant-command.ts';
import { followWords, unknownWord } from '../suggest/unknown-word.ts';
import { nodeHelp } from './help.ts';

/**
 * The page of the command or group on the command line. Arguments of a command are not checked; an unknown name in a group
 * throws usage.
 */
export async function helpPage(tree: CommandNode, argv: readonly string[], read: ReadLine): Promise<string> {
  const { strayAt, ...reached } = followWords(tree, argv);
  if (strayAt !== undefined) throw await unknownWord(argv, strayAt, { ...reached, tree, read });
  return nodeHelp(reached.node, reached.path);
}
