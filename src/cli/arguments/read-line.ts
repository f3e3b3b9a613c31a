import { buildTree, type CommandNode, type TopLevelCommand } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { App } from '../app.ts';
import type { ReadLine } from '../suggest/hint.ts';
import { beforeDashes, type Invocation, plainWords } from './options.ts';

type Program = Pick<App, 'topLevel' | 'version'>;

export const purpose = 'Operate deployed stacks from the command line.';

/** The arguments with an alias in full, also behind `help`: `stack env list` for `env list`. */
export function withoutAlias(argv: readonly string[], topLevel: readonly TopLevelCommand[]): readonly string[] {
  const [first = -1, second = -1] = plainWords(argv);
  const at = argv[first] === 'help' ? second : first;
  const typed = argv[at] ?? '';
  const meant = topLevel.find(({ aliases = {} }) => Object.hasOwn(aliases, typed))?.aliases?.[typed];
  return meant === undefined ? argv : argv.toSpliced(at, 1, ...meant.split(' '));
}

/** Reads one command line and runs nothing. Throws usage. `tried`: a hint is not corrected into a line that was read before. */
export async function readInvocation(
  argv: readonly string[],
  app: Program,
  tried: ReadonlySet<string> = new Set(),
): Promise<Invocation> {
  const line = argv.join('\n');
  if (tried.has(line)) throw new CliError('usage', 'this line was read before');
  const read = (words: readonly string[]) => readInvocation(words, app, new Set([...tried, line]));
  const behind = wordsAfterHelp(argv);
  if (behind) return readHelpWord(behind, app);
  const tree = await loadTree(argv, app, read);
  const words = beforeDashes(argv);
  // Without Commander help is a third faster.
  if (words.length === 0 || words.some((word) => word === '--help' || word === '-h')) {
    const { helpPage } = await import('../help/help.ts');
    return { kind: 'text', text: await helpPage(tree, argv, read) };
  }
  const { readCommandLine } = await import('./program.ts');
  return readCommandLine(argv, tree, app.version, read);
}

async function readHelpWord(words: readonly string[], app: Program): Promise<Invocation> {
  // `help exit-codes` is a topic, `help stack env set` is `stack env set --help`.
  const { topicFor } = await import('../help/topics/find-topic.ts');
  const text = await topicFor(words, app.topLevel);
  return text === undefined ? readInvocation([...words, '--help'], app) : { kind: 'text', text };
}

/** The line without its first word where that is `help`; flags may stand in front of it. */
export function wordsAfterHelp(argv: readonly string[]): readonly string[] | undefined {
  const [at] = plainWords(argv);
  return at !== undefined && argv[at] === 'help' ? argv.toSpliced(at, 1) : undefined;
}

async function loadTree(argv: readonly string[], app: Program, read: ReadLine): Promise<CommandNode> {
  const { topLevel } = app;
  const [typed, ...words] = plainWords(argv).map((at) => argv[at] ?? '');
  const resource = topLevel.find(({ name }) => name === typed);
  if (typed !== undefined && !resource) {
    const { unknownTopLevel } = await import('../suggest/mistake.ts');
    throw await unknownTopLevel(typed, argv, { topLevel, read });
  }
  return loadTreeAround(resource, topLevel, words);
}

/** All top-level words; below the typed one all its commands, or those that `words` can mean. */
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
  return { name: '', about: purpose, children: new Map(children) };
}
