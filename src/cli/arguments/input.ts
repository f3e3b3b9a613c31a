import { type Command, commandWrites } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Field, Input, ResolveTarget } from '../../contract/field.ts';
import { pathNames } from '../../contract/operation.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readValue, refuseEmpty } from '../../fields/read-value.ts';
import { type Argument, argumentsOf, type Flag, flagsOf } from './arguments.ts';
import { type TypedCommand, wordsBehindDashes } from './options.ts';

type ReadText = (path: string) => Promise<string>;
interface Sources {
  readonly resolveTarget: ResolveTarget;
  readonly readText: ReadText;
  /** False where a hint is only parsed: no stack is looked for. */
  readonly looksUp?: boolean;
}

/** Words and flags become typed, checked input; everything local is checked before the first place is looked up. */
export async function readInput(
  line: TypedCommand,
  { resolveTarget, readText, looksUp = true }: Sources,
): Promise<Input> {
  const { words, rest } = readWords(line);
  if (rest.length > 0) {
    const { unexpectedWords } = await import('../suggest/stray-words.ts');
    throw await unexpectedWords(rest, line, looksUp ? (field, word) => resolveTarget(field, word, {}) : undefined);
  }
  const bare = wordsWithoutEquals(line, words);
  if (bare) throw (await import('../suggest/stray-words.ts')).withoutEquals(bare, line);
  const flags = await readFlags(line, readText);
  const targets: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(line.command.params)) {
    if (field.target === undefined || field.presence === 'optional') continue;
    targets[name] = await resolveTarget(field, words[name] as string | undefined, targets);
  }
  return { ...words, ...flags, ...targets };
}

function readWords(line: TypedCommand): { readonly words: Input; readonly rest: readonly string[] } {
  const { command } = line;
  const input: Record<string, unknown> = {};
  const rest = [...line.words];
  for (const word of givenArguments(line)) {
    // A list of names ends where a program begins.
    const behind = word.name === command.positionals.at(-1) ? 0 : wordsBehindDashes(line.argv);
    const given = word.variadic ? rest.splice(0, rest.length - behind) : rest.splice(0, 1);
    if (given.length === 0 && word.required) throw missingArgument(word, line);
    if (given.length === 0) continue;
    const read = (text: string) => readWord(command, word, text);
    input[word.name] = word.variadic ? given.map(read) : read(given[0] ?? '');
  }
  return { words: input, rest };
}

function missingArgument({ field, shown }: Argument, { command, path }: TypedCommand): CliError {
  const hasNewest = !commandWrites(command) && field.keywords?.includes('latest');
  const correction = hasNewest ? { add: ['latest'] } : undefined;
  return new CliError('usage', `missing argument ${shown}`, { hint: helpOf(path), correction });
}

/**
 * The arguments that the words stand for: in `variant weight 30` the only word belongs to the required argument.
 * A list is never left out: `server run web-1` names a server and lacks the command.
 */
function givenArguments({ command, words }: TypedCommand): readonly Argument[] {
  const known = argumentsOf(command);
  const required = known.filter((argument) => argument.required);
  return words.length <= required.length && !known.some(({ variadic }) => variadic) ? required : known;
}

/** Returns the words of `NAME` or `NAME VALUE`, typed in place of `NAME=VALUE`. With --stdin or --from-file `NAME` is correct. */
function wordsWithoutEquals({ command, flags }: TypedCommand, input: Input): readonly string[] | undefined {
  const name = command.positionals.at(-1) ?? '';
  const { assigns } = (command.params[name] ?? {}) as Partial<Field>;
  if (!assigns || flags['--stdin'] || flags['--from-file']) return undefined;
  const words = input[name] as readonly string[];
  return words.length <= 2 && !words.join('').includes('=') ? words : undefined;
}

function readWord(command: Command, argument: Argument, text: string): unknown {
  const shown = `<${argument.shown.slice(1, -1)}>`;
  refuseEmpty(text, argument.field, shown);
  return readValue(text, fieldOf(command, argument), shown);
}

function fieldOf(command: Command, { name, field, variadic }: Argument): Field & { readonly inPath?: boolean } {
  const item = variadic ? (field.of as Field) : field;
  // An id in a path must not contain path syntax. The name of a target is replaced by its id first.
  const inPath =
    field.target === undefined && command.calls.some((operation) => pathNames(operation.path).includes(name));
  return { ...item, inPath };
}

async function readFlags({ command, flags, path }: TypedCommand, readText: ReadText): Promise<Input> {
  const input: Record<string, unknown> = {};
  const given = flagsOf(command).filter(({ long }) => flags[long] !== undefined);
  // Duplicates are refused before any file is read.
  const second = given.find(({ name }, at) => given.findIndex((flag) => flag.name === name) < at);
  if (second) throw duplicateError(command, second);
  for (const flag of given) input[flag.name] = await readFlag(flag, flags[flag.long], readText);
  for (const [name, field] of Object.entries<Field>(command.params)) {
    if (input[name] === undefined && field.preset !== undefined) input[name] = field.preset;
    if (command.positionals.includes(name) || field.target || field.presence === 'optional') continue;
    if (input[name] === undefined) throw missingFlag(command, name, path);
  }
  return input;
}

async function readFlag(flag: Flag, given: unknown, readText: ReadText): Promise<unknown> {
  const { field, long: name, takes } = flag;
  if (takes === 'nothing') return given;
  if (takes !== 'value') {
    const text = await readText(takes === 'stdin' ? '-' : String(given));
    // An empty file never holds a credential.
    refuseEmpty(text, field, name);
    return text;
  }
  if (field.kind !== 'many') return readValue(String(given), field, name);
  const typed = given as readonly string[];
  const items = field.noSplit ? typed : typed.flatMap((text) => text.split(','));
  return items.map((text) => readValue(text, field.of as Field, name));
}

function helpOf(path: string): CommandLine {
  return { path, flags: ['--help'] };
}

function duplicateError(command: Command, { name }: Flag): CliError {
  // A secret has two flags: one for a file and one for stdin.
  const rivals = flagsOf(command).filter((flag) => flag.name === name);
  return new CliError('usage', `use ${rivals.map(({ long }) => long).join(' or ')}, not both`);
}

function missingFlag(command: Command, name: string, path: string): CliError {
  const flags = flagsOf(command).filter((flag) => flag.name === name);
  const shown = flags.map(({ flags: spelled }) => spelled).join(' or ');
  return new CliError('usage', `missing flag ${shown}: ${command.params[name].about}`, { hint: helpOf(path) });
}
