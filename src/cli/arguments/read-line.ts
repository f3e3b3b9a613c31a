import { buildTree, type CommandNode, type TopLevelCommand } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { App } from '../app.ts';
import type { ReadLine } from '../suggest/hint.ts';
import { type Invocation, plainWordPositions, wordsBeforeDashes } from './options.ts';

type ProgramInfo = Pick<App, 'topLevel' | 'version'>;

export const stackopsPurpose = 'Operate deployed stacks from the command line.';

/** Replaces an alias by the words that it stands for, also behind `help`: `env list` becomes `stack env list`. */
export function withoutAlias(argv: readonly string[], topLevel: readonly TopLevelCommand[]): readonly string[] {
  const [firstAt = -1, secondAt = -1] = plainWordPositions(argv);
  const at = argv[firstAt] === 'help' ? secondAt : firstAt;
  const word = argv[at] ?? '';
  const wordsInFull = topLevel.find(({ aliases = {} }) => Object.hasOwn(aliases, word))?.aliases?.[word];
  return wordsInFull === undefined ? argv : argv.toSpliced(at, 1, ...wordsInFull.split(' '));
}

/** Reads a line and runs nothing. Throws `usage` for a wrong line, and for `triedLines`, so that no hint leads back. */
export async function readInvocation(
  argv: readonly string[],
  app: ProgramInfo,
  triedLines: ReadonlySet<string> = new Set(),
): Promise<Invocation> {
  const line = argv.join('\n');
  if (triedLines.has(line)) throw new CliError('usage', 'this line was read before');
  const read = (words: readonly string[]) => readInvocation(words, app, new Set([...triedLines, line]));
  const helpWords = wordsAfterHelp(argv);
  if (helpWords) return readHelpCommand(helpWords, app);
  const tree = await loadTree(argv, app, read);
  const words = wordsBeforeDashes(argv);
  // Help needs no Commander, and without it is a third faster.
  if (words.length === 0 || words.some((word) => word === '--help' || word === '-h')) {
    const { helpPage } = await import('../help/help.ts');
    return { kind: 'text', text: await helpPage(tree, argv, read) };
  }
  const { readCommandLine } = await import('./program.ts');
  return readCommandLine(argv, tree, app.version, read);
}

async function readHelpCommand(words: readonly string[], app: ProgramInfo): Promise<Invocation> {
  // `help exit-codes` is a topic, `help stack env set` is `stack env set --help`.
  const { findTopicPage } = await import('../help/topics/topics.ts');
  const text = await findTopicPage(words, app.topLevel);
  return text === undefined ? readInvocation([...words, '--help'], app) : { kind: 'text', text };
}

/** Returns the line without its first word if that is `help`, else undefined. Flags may stand in front of `help`. */
export function wordsAfterHelp(argv: readonly string[]): readonly string[] | undefined {
  const [at] = plainWordPositions(argv);
  return at !== undefined && argv[at] === 'help' ? argv.toSpliced(at, 1) : undefined;
}

async function loadTree(argv: readonly string[], app: ProgramInfo, read: ReadLine): Promise<CommandNode> {
  const { topLevel } = app;
  const [topLevelName, ...words] = plainWordPositions(argv).map((at) => argv[at] ?? '');
  const topLevelCommand = topLevel.find(({ name }) => name === topLevelName);
  if (topLevelName !== undefined && !topLevelCommand) {
    const { unknownTopLevelError } = await import('../suggest/mistake.ts');
    throw await unknownTopLevelError(argv, topLevel, read);
  }
  return loadTreeAround(topLevelCommand, topLevel, words);
}

/** Returns the tree of all top-level commands. Below `resource` it has all commands, or those that `words` can mean. */
export async function loadTreeAround(
  resource: TopLevelCommand | undefined,
  topLevel: readonly TopLevelCommand[],
  words?: readonly string[],
): Promise<CommandNode> {
  const tree = resource
    ? buildTree([await resource.load(words)], { [resource.name]: resource.about, ...resource.groups })
    : undefined;
  const children = topLevel.map(({ name, about, description }): [string, CommandNode] => [
    name,
    { ...(tree?.children.get(name) ?? { name, about, children: new Map() }), description },
  ]);
  return { name: '', about: stackopsPurpose, children: new Map(children) };
}
