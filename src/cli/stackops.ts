import { type CommandNode, growTree, type TopLevelCommand } from '../contract/tree.ts';
import { beforeDashes, type Invocation, plainWords } from './arguments/options.ts';
import type { ErrorFormat, World } from './app.ts';

export const purpose = 'Operate deployed stacks from the command line.';

/** Runs one command line and returns its exit code; nothing is thrown, and bugs are reported as `internal`. */
export async function runStackops(typed: readonly string[], world: World): Promise<number> {
  const argv = withoutAlias(typed, world.nouns);
  const format: ErrorFormat = { json: wantsJson(argv, world.err.terminal) };
  try {
    const invocation = await readInvocation(argv, world);
    if (invocation.kind === 'text') await world.out.data(invocation.text);
    else await (await import('./run.ts')).runCommand(invocation, world, format);
    return 0;
  } catch (error) {
    const { reportProblem } = await import('./report.ts');
    return reportProblem(error, { argv, world, json: format.json });
  }
}

/** The arguments with an alias in full, also behind `help`: `stack env list` for `env list`. */
export function withoutAlias(argv: readonly string[], nouns: readonly TopLevelCommand[]): readonly string[] {
  const [first = -1, second = -1] = plainWords(argv);
  const at = argv[first] === 'help' ? second : first;
  const typed = argv[at] ?? '';
  const meant = nouns.find(({ aliases = {} }) => Object.hasOwn(aliases, typed))?.aliases?.[typed];
  return meant === undefined ? argv : argv.toSpliced(at, 1, ...meant.split(' '));
}

async function readInvocation(argv: readonly string[], world: World): Promise<Invocation> {
  const behind = behindHelp(argv);
  if (behind) return readHelpWord(behind, world);
  const tree = await loadTree(argv, world);
  const read = (line: readonly string[]) => readInvocation(line, world);
  const words = beforeDashes(argv);
  // Without Commander help is a third faster.
  if (words.length === 0 || words.some((word) => word === '--help' || word === '-h')) {
    const { helpPage } = await import('./help/help.ts');
    return { kind: 'text', text: await helpPage(tree, argv, read) };
  }
  const { readCommandLine } = await import('./arguments/program.ts');
  return readCommandLine(argv, tree, world.version, read);
}

async function readHelpWord(words: readonly string[], world: World): Promise<Invocation> {
  // `help exit-codes` is a topic, `help stack env set` is `stack env set --help`.
  const { topicFor } = await import('./help/topics/find-topic.ts');
  const text = await topicFor(words, world.nouns);
  return text === undefined ? readInvocation([...words, '--help'], world) : { kind: 'text', text };
}

/** The line without its first word where that is `help`; flags may stand in front of it. */
export function behindHelp(argv: readonly string[]): readonly string[] | undefined {
  const [at] = plainWords(argv);
  return at !== undefined && argv[at] === 'help' ? argv.toSpliced(at, 1) : undefined;
}

async function loadTree(argv: readonly string[], world: World): Promise<CommandNode> {
  const { nouns } = world;
  const [typed, ...words] = plainWords(argv).map((at) => argv[at] ?? '');
  const noun = nouns.find(({ name }) => name === typed);
  if (typed !== undefined && !noun) {
    const { unknownNoun } = await import('./suggest/mistake.ts');
    throw await unknownNoun(typed, argv, { nouns, read: (words) => readInvocation(words, world) });
  }
  return growAround(noun, nouns, words);
}

/** All top-level words, and below the one that was typed everything it holds, or what `words` can mean. */
export async function growAround(
  noun: TopLevelCommand | undefined,
  nouns: readonly TopLevelCommand[],
  words?: readonly string[],
): Promise<CommandNode> {
  const tree = noun ? growTree([await noun.load(words)], { [noun.name]: noun.about, ...noun.groups }) : undefined;
  const children = nouns.map(({ name, about, description }): [string, CommandNode] => [
    name,
    { ...(tree?.children.get(name) ?? { name, about, children: new Map() }), description },
  ]);
  return { name: '', about: purpose, children: new Map(children) };
}

function wantsJson(argv: readonly string[], isTerminal: boolean): boolean {
  const words = beforeDashes(argv);
  // A person reads errors as text, unless JSON was asked for by its name.
  if (isTerminal) return words.includes('--json');
  return words.some((word, at) => {
    const format = words[at - 1] === '--output' ? word : /^--output=(.*)$/s.exec(word)?.[1];
    return /^--(json|jq)$|^--jq=/.test(word) || format === 'json' || format === 'ndjson';
  });
}
