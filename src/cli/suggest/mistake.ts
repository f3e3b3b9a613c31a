import type { CommanderError } from 'commander';
import type { Command } from '../../contract/command.ts';
import { type CommandLine, commandWords } from '../../contract/command-line.ts';
import { buildTree, type CommandNode } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import type { App } from '../app.ts';
import { type Flag, flagsOf } from '../arguments/arguments.ts';
import {
  globalOptions,
  helpAndVersion,
  isTargetFlag,
  plainWordPositions,
  type TypedCommand,
  wordsBeforeDashes,
} from '../arguments/options.ts';
import { correctCommand, type ReadLine, suggestCommand } from './hint.ts';
import { suggestHint } from './other-words.ts';
import { followWords, unknownCommandText, unknownWordError } from './unknown-word.ts';

type Argv = readonly string[];

type LineContext = { readonly tree: CommandNode; readonly read: ReadLine };

export async function commandLineError(error: CommanderError, argv: Argv, context: LineContext): Promise<CliError> {
  const { code, message } = error;
  const { tree, read } = context;
  const removedError = removedFlagError(argv);
  if (removedError) return removedError;
  const { strayAt, node, path } = followWords(tree, argv);
  if (code === 'commander.unknownCommand' && strayAt !== undefined)
    return unknownWordError(argv, strayAt, { node, path, tree, read });
  // Commander's message quotes the typed word, which may have line breaks. Only the first line is shown.
  const [firstLine = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /'(.*)'/.exec(firstLine) ?? [];
  // If `--` is missing in front of a program, the flags of the program look like our flags.
  const at =
    node.command?.output.kind === 'program' && !argv.includes('--') ? plainWordPositions(argv)[path.length] : undefined;
  const lineWithDashes = at === undefined ? undefined : await suggestCommand(argv.toSpliced(at, 0, '--'), read);
  const suggestedCommand = lineWithDashes ?? (await suggestKnownFlag(argv, word, { node, path }, read));
  const isWithoutValue = code === 'commander.optionMissingArgument';
  const ownMessage = isWithoutValue ? `${word} needs a value` : firstLine.replace(/'(.*)'/, '"$1"');
  return new CliError('usage', ownMessage, { hint: suggestedCommand ?? { path: path.join(' '), flags: ['--help'] } });
}

/** Returns the error for a flag that got two different values. `line` has both values if the flag takes a list. */
export async function givenTwiceError({ long, field }: Flag, line: TypedCommand, read: ReadLine): Promise<CliError> {
  const takesSeveralValues = field.commas && (long !== '--stack' || line.command.targets.stacks === 'several');
  const joinedCommand = takesSeveralValues ? correctCommand(line) : undefined;
  const hint = joinedCommand && (await suggestCommand(commandWords(joinedCommand), read));
  return new CliError('usage', `${long} is given twice, with different values`, { hint });
}

/** Uses the long spelling of global flags that were typed long, so the corrected line looks like the typed line. */
function keepLongSpellings(line: CommandLine | undefined, argv: readonly string[]) {
  const longSpellings = new Map(globalOptions.map((option) => [option.spellings[0], option.long]));
  const spellAsTyped = (flag: string) => [longSpellings.get(flag) ?? flag].find((long) => argv.includes(long)) ?? flag;
  return line && { ...line, flags: line.flags?.map(spellAsTyped) ?? [] };
}

/** Returns the error for a first word that is no command. Its hint is the command that was probably meant. */
export async function unknownTopLevelError(argv: Argv, topLevel: App['topLevel'], read: ReadLine): Promise<CliError> {
  const removedError = removedFlagError(argv);
  if (removedError) return removedError;
  const [at = 0] = plainWordPositions(argv);
  const wordBefore = argv[at - 1];
  const typed = argv[at] ?? '';
  const knownFlags = [...globalOptions, ...helpAndVersion].flatMap(({ spellings }) => spellings);
  // The first word may be the value of an unknown flag in front of it.
  if (wordBefore?.startsWith('--') && !wordBefore.includes('=') && !knownFlags.includes(wordBefore)) {
    const similarFlag = nearest(wordBefore, knownFlags);
    const isSafeFlag = similarFlag !== undefined && !isTargetFlag(similarFlag);
    const command = isSafeFlag ? await suggestCommand(argv.with(at - 1, similarFlag), read) : undefined;
    const hint = command ?? { path: '', flags: ['--help'] };
    return new CliError('usage', `unknown option "${wordBefore}" in front of a command`, { hint });
  }
  const names = new Map(
    topLevel.flatMap(({ name, aliases = {} }) => [[name, name] as const, ...Object.entries(aliases)]),
  );
  const loadTree = async (name: string) => {
    const topLevelCommand = topLevel.find((command) => command.name === name);
    return buildTree(topLevelCommand ? [await topLevelCommand.load()] : []);
  };
  const path = names.get(nearest(typed, names.keys()) ?? '');
  const hint =
    (await suggestHint(argv, { names, loadTree, read })) ??
    (path && (await suggestCommand(argv.toSpliced(at, 1, ...path.split(' ')), read)));
  return new CliError('usage', unknownCommandText(typed), { hint: hint || { path: path ?? '', flags: ['--help'] } });
}

const removedFlags: Readonly<Record<string, string>> = {
  '--auth-url': 'STACKOPS_AUTH_URL or the setting auth_url',
  '--csv-raw': 'STACKOPS_CSV_RAW or the setting csv_raw',
  '--retries': 'STACKOPS_RETRIES or the setting retries',
  '--no-reconcile': 'STACKOPS_RECONCILE or the setting reconcile',
  '--stacks-file': '-s @FILE, or -s - for stdin',
};

function removedFlagError(argv: readonly string[]): CliError | undefined {
  const flags = wordsBeforeDashes(argv).map((word) => word.replace(/=.*$/s, ''));
  const removed = flags.find((flag) => Object.hasOwn(removedFlags, flag));
  return removed ? new CliError('usage', `${removed} was removed; use ${removedFlags[removed]}`) : undefined;
}

type Reached = Pick<ReturnType<typeof followWords>, 'node' | 'path'>;

async function suggestKnownFlag(argv: Argv, word: string, { node, path }: Reached, read: ReadLine) {
  const { command } = node;
  const at = argv.findIndex((arg) => arg === word || arg.startsWith(`${word}=`));
  if (at < 0) return undefined;
  const { suggestFlags } = await import('./other-flags.ts');
  const foreignLines = suggestFlags({ argv, at, path, command });
  const candidates = command ? likelyLines(argv, { at, word, command, foreignLines }) : foreignLines;
  for (const candidate of candidates) {
    const suggestedCommand = keepLongSpellings(await suggestCommand(candidate, read), candidate);
    if (!suggestedCommand) continue;
    // The suggested line counts only if it still has the flag that replaced the unknown flag.
    const [flag = ''] = (candidate[at] ?? '').split('=');
    const keptFlags = ['--output', ...argv, ...suggestedCommand.flags.map((word) => word.replace(/=.*$/s, ''))];
    if (!flag.startsWith('-') || keptFlags.includes(flag)) return suggestedCommand;
  }
  return undefined;
}

interface UnknownFlag {
  readonly at: number;
  /** The flag, with `=` and its value if they are one word. */
  readonly word: string;
  readonly command: Command;
  /** Yields lines with our flag in place of a flag of another tool. */
  readonly foreignLines: Iterable<Argv>;
}

/** Yields command lines with another flag in place of the unknown flag, or without it. The likeliest comes first. */
function* likelyLines(argv: Argv, { at, word, command, foreignLines }: UnknownFlag): Generator<Argv> {
  const flags = [...flagsOf(command), ...globalOptions].map(({ long }) => long).filter((long) => !isTargetFlag(long));
  const offeredFlags = flags.filter((long) => !['--yes', '--confirm', '--reveal'].includes(long));
  const [, name = '', value = ''] = /^([^=]*)(.*)$/s.exec(word) ?? [];
  if (offeredFlags.includes(`-${name}`)) yield argv.with(at, `-${word}`);
  yield* foreignLines;
  // A flag is off unless it is given, so its `--no-` spelling is just left out.
  if (/^--no-/.test(name) && flags.includes(name.replace('no-', ''))) return yield argv.toSpliced(at, 1);
  const similarFlag = findSimilarFlag(name, offeredFlags);
  // If the names are equal, a known flag was given a value that it does not take, so the value is left out.
  if (similarFlag !== undefined) yield argv.with(at, similarFlag === name ? name : similarFlag + value);
}

function findSimilarFlag(typed: string, flags: readonly string[]): string | undefined {
  const longerFlags = /^--\w{2}/.test(typed)
    ? flags.filter((long) => long.startsWith(typed) && !flags.includes(typed))
    : [];
  return longerFlags.length === 1 ? longerFlags[0] : nearest(typed, flags);
}
