import type { CommandLine } from '../../contract/command-line.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { givesStack, plainWords } from '../arguments/options.ts';
import { meantCommand, type ReadLine } from './meant-command.ts';

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

type Searched = Reached & { readonly tree: CommandNode; readonly read: ReadLine };

/** The mistake of a word that a group does not know, and the command as it was probably meant. */
export async function unknownWord(
  argv: readonly string[],
  at: number,
  { node, path, tree, read }: Searched,
): Promise<Problem> {
  const word = argv[at] ?? '';
  const message = unknownCommand(word);
  const group = path.join(' ');
  // Help follows words, too, and needs no table.
  const { wordsMeant } = await import('./words-meant.ts');
  const loadTree = async () => tree;
  const known = await wordsMeant(argv, { names: new Map([[group, group]]), loadTree, read });
  if (known) return new Problem('usage', message, { hint: known });
  const meant = nearest(word, node.children.keys()) ?? [];
  const stack = meant.length === 0 ? await asStack(argv, at, { node, read }) : undefined;
  if (stack) return new Problem('usage', `${message} (did you mean -s ${shellWord(word)}?)`, { hint: stack });
  const command = meant.length > 0 ? await meantCommand(argv.toSpliced(at, 1, ...[meant].flat()), read) : undefined;
  const hint = command ?? { path: [...path, meant].flat().join(' '), flags: ['--help'] };
  return new Problem('usage', message, { hint });
}

/** What stands behind `=` may be the value of a secret. */
export function unknownCommand(word: string): string {
  return `unknown command "${word.replace(/=.+/s, '=…')}"`;
}

/** The command of the group itself, with the word as its stack. */
async function asStack(
  argv: readonly string[],
  at: number,
  { node, read }: Pick<Searched, 'node' | 'read'>,
): Promise<CommandLine | undefined> {
  const takesStack = node.command && node.command.targets.stacks !== 'none' && !givesStack(argv);
  return takesStack ? meantCommand(argv.toSpliced(at, 1, '-s', argv[at] ?? ''), read) : undefined;
}

/** A command, unless it only leads to others. */
function takesWords({ command, children }: CommandNode): boolean {
  return command !== undefined && (children.size === 0 || command.positionals.length > 0);
}
