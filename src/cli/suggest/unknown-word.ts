import type { CommandLine } from '../../contract/command-line.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { givesStack, plainWords } from '../arguments/options.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';
import { adviceFor, verbMeant } from './other-words.ts';

/** Where words lead: the last group or command they name, and the place of one that names nothing below it. */
export interface Reached {
  readonly node: CommandNode;
  readonly path: readonly string[];
  readonly strayAt?: number;
}

/** Follows the words down the tree, as far as a command that takes what comes behind it. */
export function followWords(tree: CommandNode, argv: readonly string[]): Reached {
  let node = tree;
  const path: string[] = [];
  for (const at of plainWords(argv)) {
    const word = argv[at] ?? '';
    const below = node.children.get(word);
    if (!below && takesWords(node)) break;
    if (!below) return { node, path, strayAt: at };
    node = below;
    path.push(word);
  }
  return { node, path };
}

type Searched = Reached & { readonly read: ReadLine };

/** The mistake of a word that a group does not know, and the command as it was probably meant. */
export async function unknownWord(
  argv: readonly string[],
  at: number,
  { node, path, read }: Searched,
): Promise<Problem> {
  const word = argv[at] ?? '';
  const advice = adviceFor([...path, word]);
  if (advice) return new Problem('usage', `unknown command "${word}"`, { hint: advice });
  const meant = [verbMeant(word, node) ?? nearest(word, node.children.keys()) ?? []].flat();
  const stack = meant.length === 0 ? await asStack(argv, at, { node, path, read }) : undefined;
  if (stack)
    return new Problem('usage', `unknown command "${word}" (did you mean -s ${shellWord(word)}?)`, { hint: stack });
  const command = meant.length > 0 ? await meantCommand(argv.toSpliced(at, 1, ...meant), read) : undefined;
  const hint = command ?? { path: [...path, ...meant].join(' '), flags: ['--help'] };
  return new Problem('usage', `unknown command "${word}"`, { hint });
}

/** The command of the group itself, with the word as its stack. */
async function asStack(
  argv: readonly string[],
  at: number,
  { node, read }: Searched,
): Promise<CommandLine | undefined> {
  const takesStack = node.command && node.command.targets.stacks !== 'none' && !givesStack(argv);
  return takesStack ? meantCommand(argv.toSpliced(at, 1, '-s', argv[at] ?? ''), read) : undefined;
}

/** A command, unless it only leads to others. */
function takesWords({ command, children }: CommandNode): boolean {
  return command !== undefined && (children.size === 0 || command.positionals.length > 0);
}
