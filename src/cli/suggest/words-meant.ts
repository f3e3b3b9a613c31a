import type { Hint } from '../../contract/command-line.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { plainWords } from '../arguments/options.ts';
import { type ReadLine, suggestCommand } from './hint.ts';
import { answerTo, expectedTopLevel, verbsMeant } from './other-words.ts';

interface Known {
  /** Names of resources in this program, each with its full command words. */
  readonly names: ReadonlyMap<string, string>;
  readonly loadTree: (resource: string) => Promise<CommandNode>;
  readonly read: ReadLine;
}

/** The answer to the words of another tool: a command line, or a sentence if we have no command. */
export async function wordsMeant(argv: readonly string[], known: Known): Promise<Hint | undefined> {
  const spoken = spokenIn(argv);
  const { typed } = spoken;
  const answer = (words: string, count: number) => answerOf(words, count, spoken, known.read);
  const first = (count: number) => typed.slice(0, count).join(' ');
  for (const count of typed.length === 1 ? [1] : [3, 2]) {
    const found = typed.length >= count ? await answer(first(count), count) : undefined;
    if (found) return found;
  }
  const asked = askedOf(typed, known.names);
  if (!asked) return answer(first(1), 1);
  const { resource, verb = '', count, isOurs } = asked;
  // A sentence about another resource type would be wrong here.
  const isCommonVerb = verbsMeant(verb).length > 1;
  const found =
    (await answer(`${resource} ${verb}`, count)) ??
    (await withVerb(asked, typed.length === count, { ...known, ...spoken })) ??
    (isCommonVerb ? undefined : (answerTo(verb).sentence ?? (isOurs ? undefined : await answer(first(1), 1))));
  return found ?? (isOurs ? undefined : { path: resource, flags: ['--help'] });
}

type Spoken = ReturnType<typeof spokenIn>;

/** Returns the plain words of a line, and a function that replaces the first of them. `config:set` counts as two words. */
function spokenIn(argv: readonly string[]) {
  const [first = -1] = plainWords(argv);
  // `config:set` of other tools sets variables, not settings.
  const parts = (argv[first] ?? '').replace(/^config:/, 'config-vars:').split(':');
  const line = parts.every((part) => /^[a-z][a-z-]*$/.test(part)) ? argv.toSpliced(first, 1, ...parts) : argv;
  const places = plainWords(line);
  const typed = places.map((place) => line[place] ?? '');
  const inPlaceOf = (count: number, ours: readonly string[]) => {
    const isTaken = ours.some((word) => word.includes('VALUE'));
    const filled = ours.map((word) => word.replace('VALUE', () => typed[count] ?? ''));
    const used = places.slice(0, isTaken ? count + 1 : count);
    return line.flatMap((word, at) => {
      if (at === places[0]) return filled;
      return used.includes(at) ? [] : [word];
    });
  };
  return { typed, inPlaceOf };
}

/** The first complete command for these words; else a sentence or a help page. */
async function answerOf(
  words: string,
  count: number,
  { typed, inPlaceOf }: Spoken,
  read: ReadLine,
): Promise<Hint | undefined> {
  const { ours, sentence } = answerTo(words);
  for (const one of ours) {
    if (one.includes('VALUE') && typed[count] === undefined) continue;
    const command = await suggestCommand(inPlaceOf(count, one.split(' ')), read);
    if (command) return command;
  }
  const path = ours.find((one) => !one.includes('VALUE'))?.replace(/ -.*$/, '');
  return sentence ?? (path && { path, flags: ['--help'] });
}

/**
 * Finds a resource and a verb in the words, in either order. `isOurs`: the resource came first, in the spelling of this
 * program.
 */
function askedOf(typed: readonly string[], names: Known['names']) {
  for (const from of [0, 1]) {
    for (const words of [3, 2, 1].map((count) => typed.slice(from, from + count))) {
      const text = words.join(' ');
      const resource = expectedTopLevel(text, names);
      if (resource === undefined) continue;
      const verb = from === 0 ? typed[words.length] : typed[0];
      const count = words.length + (verb === undefined ? 0 : 1);
      return { resource, verb, count, isPlural: text.endsWith('s'), isOurs: from === 0 && names.has(text) };
    }
  }
  return undefined;
}

async function withVerb(
  { resource, verb, count, isPlural }: NonNullable<ReturnType<typeof askedOf>>,
  isAlone: boolean,
  { loadTree, read, inPlaceOf }: Known & Spoken,
): Promise<Hint | undefined> {
  const [name = ''] = resource.split(' ');
  const tree = await loadTree(name);
  const verbs = verb === undefined ? ['list'] : verbsMeant(verb);
  const listFirst = isAlone && isPlural && verbs.includes('list') ? ['list', ...verbs] : verbs;
  const lines = [...listFirst, ...(verbs.includes('list') ? [''] : [])]
    .map((meant) => `${resource} ${meant}`.trim().split(' '))
    .filter((words) => isCommand(words, tree));
  for (const words of lines) {
    const command = await suggestCommand(inPlaceOf(count, words), read);
    if (command) return command;
  }
  return lines[0] && { path: lines[0].join(' '), flags: ['--help'] };
}

function isCommand([word, ...rest]: readonly string[], node: CommandNode | undefined): boolean {
  return word === undefined ? node?.command !== undefined : isCommand(rest, node?.children.get(word));
}
