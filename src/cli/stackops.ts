import type { CommandNode } from '../contract/tree.ts';
import { growTree } from '../contract/tree.ts';
import { problemText } from '../output/problem-text.ts';
import { colourLevel } from '../output/theme.ts';
import { exitCodeOf } from '../problems/exit-codes.ts';
import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import { firstWord } from './options.ts';
import { readCommandLine } from './program.ts';
import { runCommand } from './run.ts';
import { topics } from './topics.ts';
import type { Noun, World } from './world.ts';

/** Runs one command line and returns its exit code; nothing is thrown but bugs are told as `internal`. */
export async function runStackops(argv: readonly string[], world: World): Promise<number> {
  const told = { json: wantsJson(argv) };
  try {
    const topic = argv[0] === 'help' ? topics[argv[1] ?? ''] : undefined;
    const invocation = topic
      ? ({ kind: 'text', text: topic() } as const)
      : readCommandLine(argv, await loadTree(argv, world.nouns), world.version);
    if (invocation.kind === 'text') await world.out.write(invocation.text);
    else await runCommand(invocation, argv, world, told);
    return 0;
  } catch (error) {
    const problem = error instanceof Problem ? error : asInternal(error, world);
    await world.err.write(problemText(problem, { json: told.json, colour: errColour(argv, world) }));
    return exitCodeOf(problem);
  }
}

/** All top-level words, and below the one that was typed everything it holds. */
async function loadTree(argv: readonly string[], nouns: readonly Noun[]): Promise<CommandNode> {
  const words = argv.filter((word) => word !== 'help');
  const typed = firstWord(words);
  const noun = nouns.find(({ name }) => name === typed);
  if (typed !== undefined && !noun) throw unknownNoun(typed, nouns);
  const tree = noun ? growTree([await noun.load()], { [noun.name]: noun.about, ...noun.groups }) : undefined;
  const children = nouns.map(({ name, about }): [string, CommandNode] => [
    name,
    tree?.children.get(name) ?? { name, about, children: new Map() },
  ]);
  return { name: '', about: 'The operator’s command line for stacks.', children: new Map(children) };
}

function unknownNoun(typed: string, nouns: readonly Noun[]): Problem {
  const close = nearest(
    typed,
    nouns.map(({ name }) => name),
  );
  return new Problem('usage', `unknown command "${typed}"`, {
    hint: close ? `did you mean "${close}"?  stackops ${close} --help` : 'stackops --help',
  });
}

function asInternal(error: unknown, { env }: World): Problem {
  const text = error instanceof Error ? error.message : String(error);
  const stack = env['STACKOPS_DEBUG'] && error instanceof Error ? `\n${error.stack}` : '';
  return new Problem('internal', `this is a bug in stackops: ${text}${stack}`, {
    hint: 'run it again with STACKOPS_DEBUG=1 and report what it prints',
  });
}

function wantsJson(argv: readonly string[]): boolean {
  const cut = argv.indexOf('--');
  const words = cut < 0 ? argv : argv.slice(0, cut);
  return words.some(
    (word, at) => word === '--json' || word === '--output=json' || (word === 'json' && words[at - 1] === '--output'),
  );
}

function errColour(argv: readonly string[], { env, err }: World): boolean {
  const at = argv.indexOf('--color');
  const flag = at < 0 ? argv.find((word) => word.startsWith('--color='))?.slice(8) : argv[at + 1];
  return colourLevel({ flag, env, isTTY: err.terminal }) > 0;
}
