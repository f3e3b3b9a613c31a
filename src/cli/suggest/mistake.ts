import type { CommanderError } from 'commander';
import type { Command } from '../../contract/command.ts';
import { type CommandLine, commandWords } from '../../contract/command-line.ts';
import { buildTree, type CommandNode, type TopLevelCommand } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { type Flag, flagsOf } from '../arguments/arguments.ts';
import {
  globalOptions,
  helpAndVersion,
  isTargetFlag,
  plainWordPositions,
  type TypedCommand,
  wordsBeforeDashes,
} from '../arguments/options.ts';
import { correctedCommand, type ReadLine, suggestCommand } from './hint.ts';
import { suggestWords } from './other-words.ts';
import { followWords, unknownCommand, unknownWord } from './unknown-word.ts';

export async function commandLineError(
  { code, message }: CommanderError,
  argv: readonly string[],
  { tree, read }: { readonly tree: CommandNode; readonly read: ReadLine },
): Promise<CliError> {
  const removed = removedFlag(argv);
  if (removed) return removed;
  const { strayAt, node, path } = followWords(tree, argv);
  if (code === 'commander.unknownCommand' && strayAt !== undefined)
    return unknownWord(argv, strayAt, { node, path, tree, read });
  // A typed word may have a line break.
  const [first = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /'(.*)'/.exec(first) ?? [];
  // Without `--` in front of the program, its flags are taken for ours.
  const at =
    node.command?.output.kind === 'program' && !argv.includes('--') ? plainWordPositions(argv)[path.length] : undefined;
  const program = at === undefined ? undefined : await suggestCommand(argv.toSpliced(at, 0, '--'), read);
  const meant = program ?? (await withKnownFlag(argv, word, { node, path }, read));
  const help = { path: path.join(' '), flags: ['--help'] };
  const isWithoutValue = code === 'commander.optionMissingArgument';
  const said = isWithoutValue ? `${word} needs a value` : first.replace(/'(.*)'/, '"$1"');
  return new CliError('usage', said, { hint: meant ?? help });
}

/** The error of a flag with two values where one is taken. In `line` they are joined if commas may separate several. */
export async function givenTwiceError({ long, field }: Flag, line: TypedCommand, read: ReadLine): Promise<CliError> {
  const takesSeveral = field.commas && (long !== '--stack' || line.command.targets.stacks === 'several');
  const joined = takesSeveral ? correctedCommand(line) : undefined;
  const hint = joined && (await suggestCommand(commandWords(joined), read));
  return new CliError('usage', `${long} is given twice, with different values`, { hint });
}

/** Keeps the long spelling of global flags that were typed in it, so the corrected line looks like the typed one. */
function inLong(line: CommandLine | undefined, argv: readonly string[]): CommandLine | undefined {
  const long = new Map(globalOptions.map((option) => [option.spellings[0], option.long]));
  const asTyped = (flag: string) => [long.get(flag) ?? flag].find((one) => argv.includes(one)) ?? flag;
  return line && { ...line, flags: line.flags?.map(asTyped) ?? [] };
}

/** The mistake of a first word that is no command, and the command as it was probably meant. */
export async function unknownTopLevelError(
  typed: string,
  argv: readonly string[],
  { topLevel, read }: { readonly topLevel: readonly TopLevelCommand[]; readonly read: ReadLine },
): Promise<CliError> {
  const removed = removedFlag(argv);
  if (removed) return removed;
  const [at = 0] = plainWordPositions(argv);
  const stray = argv[at - 1];
  const known = [...globalOptions, ...helpAndVersion].flatMap(({ spellings }) => spellings);
  // A word that resembles a command may be the value of an unknown flag.
  if (stray?.startsWith('--') && !stray.includes('=') && !known.includes(stray)) {
    const meant = nearest(stray, known);
    const isSafe = meant !== undefined && !isTargetFlag(meant);
    const command = isSafe ? await suggestCommand(argv.with(at - 1, meant), read) : undefined;
    const hint = command ?? { path: '', flags: ['--help'] };
    return new CliError('usage', `unknown option "${stray}" in front of a command`, { hint });
  }
  const names = new Map(
    topLevel.flatMap(({ name, aliases = {} }) => [[name, name] as const, ...Object.entries(aliases)]),
  );
  const loadTree = async (name: string) =>
    buildTree(
      await Promise.all(
        topLevel.filter((resource) => resource.name === name).map((resourceType) => resourceType.load()),
      ),
    );
  const meant = names.get(nearest(typed, names.keys()) ?? '');
  const hint =
    (await suggestWords(argv, { names, loadTree, read })) ??
    (meant && (await suggestCommand(argv.toSpliced(at, 1, ...meant.split(' ')), read)));
  return new CliError('usage', unknownCommand(typed), { hint: hint || { path: meant ?? '', flags: ['--help'] } });
}

const replacements: Readonly<Record<string, string>> = {
  '--auth-url': 'STACKOPS_AUTH_URL or the setting auth_url',
  '--csv-raw': 'STACKOPS_CSV_RAW or the setting csv_raw',
  '--retries': 'STACKOPS_RETRIES or the setting retries',
  '--no-reconcile': 'STACKOPS_RECONCILE or the setting reconcile',
  '--stacks-file': '-s @FILE, or -s - for stdin',
};

function removedFlag(argv: readonly string[]): CliError | undefined {
  const flags = wordsBeforeDashes(argv).map((word) => word.replace(/=.*$/s, ''));
  const removed = flags.find((flag) => Object.hasOwn(replacements, flag));
  return removed ? new CliError('usage', `${removed} was removed; use ${replacements[removed]}`) : undefined;
}

async function withKnownFlag(
  argv: readonly string[],
  word: string,
  { node: { command }, path }: { readonly node: CommandNode; readonly path: readonly string[] },
  read: ReadLine,
): Promise<CommandLine | undefined> {
  const at = argv.findIndex((arg) => arg === word || arg.startsWith(`${word}=`));
  if (at < 0) return undefined;
  const { suggestFlags } = await import('./other-flags.ts');
  const others = () => suggestFlags({ argv, at, path, command });
  const likely = command ? likelyLines(argv, { at, word, command, others }) : others();
  for (const line of likely) {
    const meant = inLong(await suggestCommand(line, read), line);
    // The line is used only if its correction kept the suggested flag.
    const flag = line[at]?.startsWith('-') ? line[at].replace(/=.*$/s, '') : undefined;
    const isKept =
      flag === undefined ||
      flag === '--output' ||
      argv.includes(flag) ||
      meant?.flags?.some((one) => one.replace(/=.*$/s, '') === flag);
    if (meant && isKept) return meant;
  }
  return undefined;
}

type Argv = readonly string[];

interface UnknownFlag {
  readonly at: number;
  /** The flag, with `=` and its value if they are one word. */
  readonly word: string;
  readonly command: Command;
  /** Lines with a flag for one of other tools. */
  readonly others: () => Iterable<Argv>;
}

/** Command lines with another flag in place of the unknown one, or without it; the likeliest first. */
function* likelyLines(argv: Argv, { at, word, command, others }: UnknownFlag): Generator<Argv> {
  const known = [...flagsOf(command), ...globalOptions].map(({ long }) => long).filter((long) => !isTargetFlag(long));
  const ours = known.filter((long) => !['--yes', '--confirm', '--reveal'].includes(long));
  const [, name = '', value = ''] = /^([^=]*)(.*)$/s.exec(word) ?? [];
  if (ours.includes(`-${name}`)) yield argv.with(at, `-${word}`);
  yield* others();
  // A flag is off unless it is given.
  if (/^--no-/.test(name) && known.includes(name.replace('no-', ''))) return yield argv.toSpliced(at, 1);
  const similar = similarFlag(name, ours);
  // An equal name means that a known flag was given a value that it does not take.
  if (similar !== undefined) yield argv.with(at, similar === name ? name : similar + value);
}

function similarFlag(typed: string, known: readonly string[]): string | undefined {
  const longer = /^--\w{2}/.test(typed) ? known.filter((long) => long.startsWith(typed) && !known.includes(typed)) : [];
  return longer.length === 1 ? longer[0] : nearest(typed, known);
}
