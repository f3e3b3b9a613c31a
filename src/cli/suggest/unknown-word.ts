import type { CommandNode } from '../../contract/tree.ts';
import { shellWord } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { givesStack, plainWordPositions } from '../arguments/options.ts';
import { type ReadLine, suggestCommand } from './hint.ts';

type Reached = Omit<ReturnType<typeof followWords>, 'strayAt'>;

/**
 * Follows the words down the command tree, up to a command with arguments. Returns the last group or command, and the
 * place of a word that names nothing below it.
 */
export function followWords(tree: CommandNode, argv: readonly string[]) {
  let node = tree;
  const path: string[] = [];
  for (const at of plainWordPositions(argv)) {
    const below = node.children.get(argv[at] ?? '');
    if (!below) {
      const { command, children } = node;
      // A command that leads to others takes words only as arguments.
      const takesWords = command && (children.size === 0 || command.positionals.length > 0);
      return takesWords ? { node, path } : { node, path, strayAt: at };
    }
    node = below;
    path.push(below.name);
  }
  return { node, path };
}

/** The mistake of a word that a group does not know, and the command as it was probably meant. */
export async function unknownWord(
  argv: readonly string[],
  at: number,
  { node, path, tree, read }: Reached & { readonly tree: CommandNode; readonly read: ReadLine },
): Promise<CliError> {
  const word = argv[at] ?? '';
  const message = unknownCommand(word);
  const group = path.join(' ');
  // Help follows words, too, and needs no table.
  const { suggestWords } = await import('./other-words.ts');
  const loadTree = async () => tree;
  const known = await suggestWords(argv, { names: new Map([[group, group]]), loadTree, read });
  if (known) return new CliError('usage', message, { hint: known });
  const meant = nearest(word, node.children.keys());
  if (meant !== undefined) {
    const command = await suggestCommand(argv.with(at, meant), read);
    return new CliError('usage', message, { hint: command ?? { path: [...path, meant].join(' '), flags: ['--help'] } });
  }
  // The group may itself be a command, and the word its stack.
  const takesStack = node.command && node.command.targets.stacks !== 'none' && !givesStack(argv);
  const stack = takesStack ? await suggestCommand(argv.toSpliced(at, 1, '-s', word), read) : undefined;
  if (stack) return new CliError('usage', `${message} (did you mean -s ${shellWord(word)}?)`, { hint: stack });
  return new CliError('usage', message, { hint: { path: group, flags: ['--help'] } });
}

/** The message omits the text after `=`, which may be a secret. */
export function unknownCommand(word: string): string {
  return `unknown command "${word.replace(/=.+/s, '=…')}"`;
}
