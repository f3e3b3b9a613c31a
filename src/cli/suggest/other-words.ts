import type { Hint } from '../../contract/command-line.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { globalOptions, plainWordPositions, wordsBeforeDashes } from '../arguments/options.ts';
import { createDictionary, replaceFirstWords } from './dictionary.ts';
import { type ReadLine, suggestCommand } from './hint.ts';
import { text as commands } from './words/commands.txt';
import { text as instructions } from './words/instructions.txt';
import { text as resources } from './words/resources.txt';
import { text as verbs } from './words/verbs.txt';

const findOurResources = createDictionary(resources);
const findOurCommands = createDictionary(commands);
const findInstructions = createDictionary(instructions);
const findOurVerbs = createDictionary(verbs);

interface OurWords {
  /** Our names of resources, each with its full command words: `env` with `stack env`. */
  readonly names: ReadonlyMap<string, string>;
  readonly loadTree: (resource: string) => Promise<CommandNode>;
  readonly read: ReadLine;
}

/** Returns a hint for the words of another tool: a command line, or a sentence if we have no command. */
export async function suggestHint(argv: readonly string[], ourWords: OurWords): Promise<Hint | undefined> {
  const typedWords = readWords(argv);
  const { typed } = typedWords;
  const hintFor = (phrase: string, count: number) => findHint(phrase, count, typedWords, ourWords.read);
  const joinFirstWords = (count: number) => typed.slice(0, count).join(' ');
  for (const count of typed.length === 1 ? [1] : [3, 2]) {
    const hint = typed.length >= count ? await hintFor(joinFirstWords(count), count) : undefined;
    if (hint) return hint;
  }
  const foundResource = findResource(typed, ourWords.names);
  if (!foundResource) return hintFor(joinFirstWords(1), 1);
  const { resource, verb = '', count, isOurs } = foundResource;
  // A common verb fits many resources, so a sentence for it would be about another resource.
  const isCommonVerb = suggestVerbs(verb).length > 1;
  const hint =
    (await hintFor(`${resource} ${verb}`, count)) ??
    (await suggestVerb(foundResource, { ...ourWords, ...typedWords })) ??
    (isCommonVerb
      ? undefined
      : (findInstructions(verb)[0] ?? (isOurs ? undefined : await hintFor(joinFirstWords(1), 1))));
  return hint ?? (isOurs ? undefined : { path: resource, flags: ['--help'] });
}

type TypedWords = ReturnType<typeof readWords>;

/** Returns the plain words (`config:set` is two), and how to replace the first. `hasFlags`: a flag is not global. */
function readWords(argv: readonly string[]) {
  const [firstAt = -1] = plainWordPositions(argv);
  // `config:set` of other tools sets variables, not settings.
  const parts = (argv[firstAt] ?? '').replace(/^config:/, 'config-vars:').split(':');
  const line = parts.every((part) => /^[a-z][a-z-]*$/.test(part)) ? argv.toSpliced(firstAt, 1, ...parts) : argv;
  const typed = plainWordPositions(line).map((at) => line[at] ?? '');
  const globalFlags = globalOptions.map(({ long }) => long);
  const flags = wordsBeforeDashes(line).filter((word) => word.startsWith('--'));
  const hasFlags = flags.some((flag) => !globalFlags.includes(flag.replace(/=.*$/s, '')));
  const replaceFirst = (count: number, newWords: readonly string[]) => {
    const takesValue = newWords.some((word) => word.includes('VALUE'));
    const filledWords = newWords.map((word) => word.replace('VALUE', () => typed[count] ?? ''));
    return replaceFirstWords(line, takesValue ? count + 1 : count, filledWords);
  };
  return { typed, hasFlags, replaceFirst };
}

async function findHint(phrase: string, count: number, line: TypedWords, read: ReadLine): Promise<Hint | undefined> {
  const { typed, hasFlags, replaceFirst } = line;
  const ourCommands = findOurCommands(phrase);
  for (const ourCommand of ourCommands) {
    if (ourCommand.includes('VALUE') && typed[count] === undefined) continue;
    // `--status` cannot be combined with other flags, so it is left out.
    const newWords = hasFlags ? ourCommand.replace(' --status', '') : ourCommand;
    const command = await suggestCommand(replaceFirst(count, newWords.split(' ')), read);
    if (command) return command;
  }
  const path = ourCommands.find((ourCommand) => !ourCommand.includes('VALUE'))?.replace(/ -.*$/, '');
  return findInstructions(phrase)[0] ?? (path && { path, flags: ['--help'] });
}

/** Finds a resource and a verb in either order. `isOurs` is true if the resource came first, in our spelling. */
function findResource(typed: readonly string[], names: OurWords['names']) {
  for (const firstIndex of [0, 1]) {
    for (const words of [3, 2, 1].map((count) => typed.slice(firstIndex, firstIndex + count))) {
      const text = words.join(' ');
      const resource = resourceFor(text, names);
      if (resource === undefined) continue;
      const verb = firstIndex === 0 ? typed[words.length] : typed[0];
      const count = words.length + (verb === undefined ? 0 : 1);
      return { resource, verb, count, isPlural: text.endsWith('s'), isOurs: firstIndex === 0 && names.has(text) };
    }
  }
  return undefined;
}

type FoundResource = NonNullable<ReturnType<typeof findResource>>;

async function suggestVerb(found: FoundResource, context: OurWords & TypedWords): Promise<Hint | undefined> {
  const { resource, verb, count, isPlural } = found;
  const { typed, loadTree, read, replaceFirst } = context;
  const [name = ''] = resource.split(' ');
  const tree = await loadTree(name);
  const verbs = verb === undefined ? ['list'] : suggestVerbs(verb);
  const orderedVerbs = typed.length === count && isPlural && verbs.includes('list') ? ['list', ...verbs] : verbs;
  const lines = [...orderedVerbs, ...(verbs.includes('list') ? [''] : [])]
    .map((ourVerb) => `${resource} ${ourVerb}`.trim().split(' '))
    .filter((words) => isCommand(words, tree));
  for (const words of lines) {
    const command = await suggestCommand(replaceFirst(count, words), read);
    if (command) return command;
  }
  return lines[0] && { path: lines[0].join(' '), flags: ['--help'] };
}

function isCommand([word, ...rest]: readonly string[], node: CommandNode | undefined): boolean {
  return word === undefined ? node?.command !== undefined : isCommand(rest, node?.children.get(word));
}

function resourceFor(typed: string, names: OurWords['names']): string | undefined {
  const forms = [typed, typed.replace(/s$/, ''), typed.replace(/es$/, ''), typed.replace(/ies$/, 'y'), `${typed}s`];
  return names.get(forms.find((form) => names.has(form)) ?? '') ?? findOurResources(typed)[0];
}

function suggestVerbs(verb: string): readonly string[] {
  return [verb, ...findOurVerbs(verb).flatMap((verbs) => verbs.split(', '))];
}
