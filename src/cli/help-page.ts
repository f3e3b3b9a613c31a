import type { CommandNode } from '../contract/tree.ts';
import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import { nodeHelp } from './help.ts';
import { mendedCommand } from './hint.ts';
import { plainWords } from './options.ts';

/**
 * The page of the command or group that the words name. Words behind a command are its own affair; one that names
 * nothing in a group is a mistake, and throws usage.
 */
export function helpPage(tree: CommandNode, argv: readonly string[]): string {
  let node = tree;
  const path: string[] = [];
  for (const at of plainWords(argv)) {
    const word = argv[at] ?? '';
    const below = node.children.get(word);
    if (!below && takesWords(node)) break;
    if (!below) throw unknownWord(argv, at, { node, path });
    node = below;
    path.push(word);
  }
  return nodeHelp(node, path);
}

/** A command, unless it only leads to others. */
function takesWords({ command, children }: CommandNode): boolean {
  return command !== undefined && (children.size === 0 || command.positionals.length > 0);
}

function unknownWord(
  argv: readonly string[],
  at: number,
  { node, path }: { readonly node: CommandNode; readonly path: readonly string[] },
): Problem {
  const close = nearest(argv[at] ?? '', node.children.keys());
  const hint = close === undefined ? ['stackops', ...path, '--help'].join(' ') : mendedCommand(argv, at, close);
  return new Problem('usage', `unknown command "${argv[at]}"`, { hint });
}
