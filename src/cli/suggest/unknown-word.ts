import type { CommandNode } from '../../contract/tree.ts';
import { shellWord } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { hasStackFlag, plainWordPositions } from '../arguments/options.ts';
import { type ReadLine, suggestCommand } from './hint.ts';

interface UnknownWord extends Omit<ReturnType<typeof followWords>, 'strayAt'> {
  readonly tree: CommandNode;
  readonly read: ReadLine;
}

/** Returns the last group or command that the words name. `strayAt` is the position of a word that names nothing. */
export function followWords(tree: CommandNode, argv: readonly string[]) {
  let node = tree;
  const path: string[] = [];
  for (const at of plainWordPositions(argv)) {
    const child = node.children.get(argv[at] ?? '');
    if (!child) {
      const { command, children } = node;
      // A command with other commands below it takes further words only if it has arguments.
      const takesWords = command && (children.size === 0 || command.positionals.length > 0);
      return takesWords ? { node, path } : { node, path, strayAt: at };
    }
    node = child;
    path.push(child.name);
  }
  return { node, path };
}

/** Returns the error for a word that names nothing below a group. Its hint is the command that was probably meant. */
export async function unknownWordError(argv: readonly string[], at: number, reached: UnknownWord): Promise<CliError> {
  const { node, path, tree, read } = reached;
  const word = argv[at] ?? '';
  const message = unknownCommandText(word);
  const groupPath = path.join(' ');
  // The tables of `other-words.ts` are loaded only here, because help uses `followWords` without them.
  const { suggestHint } = await import('./other-words.ts');
  const loadTree = async () => tree;
  const hint = await suggestHint(argv, { names: new Map([[groupPath, groupPath]]), loadTree, read });
  if (hint) return new CliError('usage', message, { hint });
  const name = nearest(word, node.children.keys());
  if (name !== undefined) {
    const command = await suggestCommand(argv.with(at, name), read);
    return new CliError('usage', message, { hint: command ?? { path: [...path, name].join(' '), flags: ['--help'] } });
  }
  // If the group is itself a command, the word may be its stack.
  const takesStack = node.command && node.command.targets.stacks !== 'none' && !hasStackFlag(argv);
  const stack = takesStack ? await suggestCommand(argv.toSpliced(at, 1, '-s', word), read) : undefined;
  if (stack) return new CliError('usage', `${message} (did you mean -s ${shellWord(word)}?)`, { hint: stack });
  return new CliError('usage', message, { hint: { path: groupPath, flags: ['--help'] } });
}

/** Returns the message for an unknown word. It omits the text after `=`, which may be a secret. */
export function unknownCommandText(word: string): string {
  return `unknown command "${word.replace(/=.+/s, '=…')}"`;
}
