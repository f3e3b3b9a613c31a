import { type Command, commandWrites } from '../../contract/command.ts';
import type { Field, Input, ResolveTarget } from '../../contract/field.ts';
import { pathParamNames } from '../../contract/operation.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readValue, refuseEmpty } from '../../fields/read-value.ts';
import { type Argument, argumentsOf, type Flag, flagsOf } from './arguments.ts';
import { countWordsAfterDashes, type TypedCommand } from './options.ts';

type ReadText = (path: string) => Promise<string>;
interface InputSources {
  readonly resolveTarget: ResolveTarget;
  readonly readText: ReadText;
  /** False where a hint is only checked, so no stack is looked up. */
  readonly looksUpStacks?: boolean;
}

/** Returns checked arguments and flags. Everything local is checked before the first target is looked up. */
export async function readInput(line: TypedCommand, sources: InputSources): Promise<Input> {
  const { resolveTarget, readText, looksUpStacks = true } = sources;
  const { words, extraWord } = readWords(line);
  if (extraWord !== undefined) {
    const { extraWordError } = await import('../suggest/stray-words.ts');
    const findStack = looksUpStacks ? (field: Field, word: string) => resolveTarget(field, word, {}) : undefined;
    throw await extraWordError(extraWord, line, findStack);
  }
  const unpairedWords = wordsWithoutEquals(line, words);
  if (unpairedWords) throw (await import('../suggest/stray-words.ts')).withoutEqualsError(unpairedWords, line);
  const flags = await readFlags(line, readText);
  const targets: Record<string, unknown> = {};
  for (const [name, field] of Object.entries<Field>(line.command.params)) {
    if (field.target === undefined || field.presence === 'optional') continue;
    targets[name] = await resolveTarget(field, words[name] as string | undefined, targets);
  }
  return { ...words, ...flags, ...targets };
}

function readWords(line: TypedCommand): { readonly words: Input; readonly extraWord: string | undefined } {
  const { command } = line;
  const input: Record<string, unknown> = {};
  const wordsLeft = [...line.words];
  for (const argument of argumentsFor(line)) {
    // A list of names ends at `--`, where a program begins.
    const countAfterDashes = argument.name === command.positionals.at(-1) ? 0 : countWordsAfterDashes(line.argv);
    const argumentWords = wordsLeft.splice(0, argument.variadic ? wordsLeft.length - countAfterDashes : 1);
    if (argumentWords.length === 0 && argument.required) throw missingArgumentError(argument, line);
    if (argumentWords.length === 0) continue;
    const readArgument = (text: string) => readWord(command, argument, text);
    input[argument.name] = argument.variadic ? argumentWords.map(readArgument) : readArgument(argumentWords[0] ?? '');
  }
  return { words: input, extraWord: wordsLeft[0] };
}

function missingArgumentError({ field, shown }: Argument, { command, path }: TypedCommand): CliError {
  const acceptsLatest = !commandWrites(command) && field.keywords?.includes('latest');
  const correction = acceptsLatest ? { add: ['latest'] } : undefined;
  return new CliError('usage', `missing argument ${shown}`, { hint: { path, flags: ['--help'] }, correction });
}

/** In `variant weight 30` the only word is for the required argument. A list, as of `server run`, is never left out. */
function argumentsFor({ command, words }: TypedCommand): readonly Argument[] {
  const allArguments = argumentsOf(command);
  const required = allArguments.filter((argument) => argument.required);
  return words.length <= required.length && !allArguments.some(({ variadic }) => variadic) ? required : allArguments;
}

/** Returns `NAME` or `NAME VALUE` if typed in place of `NAME=VALUE`. With --stdin or --from-file `NAME` is correct. */
function wordsWithoutEquals({ command, flags }: TypedCommand, input: Input): readonly string[] | undefined {
  const name = command.positionals.at(-1) ?? '';
  const { assigns } = (command.params[name] ?? {}) as Partial<Field>;
  if (!assigns || flags['--stdin'] || flags['--from-file']) return undefined;
  const words = input[name] as readonly string[];
  return words.length <= 2 && !words.join('').includes('=') ? words : undefined;
}

function readWord(command: Command, { name, field, shown, variadic }: Argument, text: string): unknown {
  const label = `<${shown.slice(1, -1)}>`;
  refuseEmpty(text, field, label);
  // An id in a path must not contain path syntax. A target may be any name, because its id is sent instead.
  const inPath = !field.target && command.calls.some(({ path }) => pathParamNames(path).includes(name));
  return readValue(text, { ...(variadic ? (field.of as Field) : field), inPath }, label);
}

async function readFlags({ command, flags, path }: TypedCommand, readText: ReadText): Promise<Input> {
  const input: Record<string, unknown> = {};
  const typedFlags = flagsOf(command).filter(({ long }) => flags[long] !== undefined);
  // Duplicates are refused before any file is read.
  const duplicateFlag = typedFlags.find(({ name }, at) => typedFlags.findIndex((flag) => flag.name === name) < at);
  if (duplicateFlag) throw duplicateError(command, duplicateFlag);
  for (const flag of typedFlags) input[flag.name] = await readFlag(flag, flags[flag.long], readText);
  for (const [name, field] of Object.entries<Field>(command.params)) {
    if (input[name] === undefined && field.preset !== undefined) input[name] = field.preset;
    if (command.positionals.includes(name) || field.target || field.presence === 'optional') continue;
    if (input[name] === undefined) throw missingFlagError(command, name, path);
  }
  return input;
}

async function readFlag(flag: Flag, value: unknown, readText: ReadText): Promise<unknown> {
  const { field, long: name, takes } = flag;
  if (takes === 'nothing') return value;
  if (takes !== 'value') {
    const text = await readText(takes === 'stdin' ? '-' : String(value));
    // An empty file or stdin holds no credential, so it is refused.
    refuseEmpty(text, field, name);
    return text;
  }
  if (field.kind !== 'many') return readValue(String(value), field, name);
  const values = value as readonly string[];
  const items = field.noSplit ? values : values.flatMap((text) => text.split(','));
  return items.map((text) => readValue(text, field.of as Field, name));
}

function duplicateError(command: Command, { name }: Flag): CliError {
  // A secret has two flags: one for a file and one for stdin.
  const bothFlags = flagsOf(command).filter((flag) => flag.name === name);
  return new CliError('usage', `use ${bothFlags.map(({ long }) => long).join(' or ')}, not both`);
}

function missingFlagError(command: Command, name: string, path: string): CliError {
  const flags = flagsOf(command).filter((flag) => flag.name === name);
  const spelledFlags = flags.map(({ flags: spelling }) => spelling).join(' or ');
  return new CliError('usage', `missing flag ${spelledFlags}: ${command.params[name].about}`, {
    hint: { path, flags: ['--help'] },
  });
}
