import type { CommanderError } from 'commander';
import type { Command } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type CommandNode, growTree, type TopLevelCommand } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { flagsOf } from '../arguments/arguments.ts';
import { answeredOptions, beforeDashes, globalOptions, isTarget, plainWords } from '../arguments/options.ts';
import { type ReadLine, suggestCommand } from './hint.ts';
import { flagsMeant } from './other-words.ts';
import { followWords, unknownCommand, unknownWord } from './unknown-word.ts';
import { wordsMeant } from './words-meant.ts';

export async function mistakeOf(
  { code, message }: CommanderError,
  argv: readonly string[],
  { tree, read }: { readonly tree: CommandNode; readonly read: ReadLine },
): Promise<CliError> {
  const removed = removedFlag(argv);
  if (removed) return removed;
  const { strayAt, node, path } = followWords(tree, argv);
  if (code === 'commander.unknownCommand' && strayAt !== undefined)
    return unknownWord(argv, strayAt, { node, path, tree, read });
  // `error: unknown option '--jsn'\n(Did you mean --json?)`
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const [, word = ''] = /'(.*)'/.exec(first) ?? [];
  const [, close] = /^\(Did you mean ([^ ]+)\?\)$/.exec(second) ?? [];
  // Without `--` in front of the program, its flags are taken for ours.
  const at =
    node.command?.output.kind === 'program' && !argv.includes('--') ? plainWords(argv)[path.length] : undefined;
  const program = at === undefined ? undefined : await suggestCommand(argv.toSpliced(at, 0, '--'), read);
  const mended = program ? undefined : withKnownFlag(argv, word, close, node);
  const meant = program ?? (mended && inLong(await suggestCommand(mended, read), mended));
  const help = { path: path.join(' '), flags: ['--help'] };
  const isWithoutValue = code === 'commander.optionMissingArgument';
  const said = isWithoutValue ? `${word} needs a value` : first.replace(/'(.*)'/, '"$1"');
  return new CliError('usage', said, { hint: meant ?? help });
}

/** With the flags that every command knows as they were spelled: who mistyped `--wait` looks for it. */
function inLong(line: CommandLine | undefined, argv: readonly string[]): CommandLine | undefined {
  const long = new Map(globalOptions.map((option) => [option.spellings[0], option.long]));
  const asTyped = (flag: string) => [long.get(flag) ?? flag].find((one) => argv.includes(one)) ?? flag;
  return line && { ...line, flags: line.flags?.map(asTyped) ?? [] };
}

/** The mistake of a first word that is no command, and the command as it was probably meant. */
export async function unknownTopLevel(
  typed: string,
  argv: readonly string[],
  { topLevel, read }: { readonly topLevel: readonly TopLevelCommand[]; readonly read: ReadLine },
): Promise<CliError> {
  const removed = removedFlag(argv);
  if (removed) return removed;
  const [at = 0] = plainWords(argv);
  const stray = argv[at - 1];
  const known = [...globalOptions, ...answeredOptions].flatMap(({ spellings }) => spellings);
  // A word that resembles a command may be the value of an unknown flag.
  if (stray?.startsWith('--') && !stray.includes('=') && !known.includes(stray)) {
    const meant = nearest(stray, known);
    const isSafe = meant !== undefined && !isTarget(meant);
    const command = isSafe ? await suggestCommand(argv.with(at - 1, meant), read) : undefined;
    const hint = command ?? { path: '', flags: ['--help'] };
    return new CliError('usage', `unknown option "${stray}" in front of a command`, { hint });
  }
  const names = new Map(
    topLevel.flatMap(({ name, aliases = {} }) => [[name, name] as const, ...Object.entries(aliases)]),
  );
  const loadTree = async (name: string) =>
    growTree(
      await Promise.all(
        topLevel.filter((resource) => resource.name === name).map((resourceType) => resourceType.load()),
      ),
    );
  const meant = names.get(nearest(typed, names.keys()) ?? '');
  const hint =
    (await wordsMeant(argv, { names, loadTree, read })) ??
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
  const flags = beforeDashes(argv).map((word) => word.replace(/=.*$/s, ''));
  const removed = flags.find((flag) => Object.hasOwn(replacements, flag));
  return removed ? new CliError('usage', `${removed} was removed; use ${replacements[removed]}`) : undefined;
}

function withKnownFlag(
  argv: readonly string[],
  typed: string,
  close: string | undefined,
  { command }: CommandNode,
): readonly string[] | undefined {
  const at = argv.findIndex((arg) => arg === typed || arg.startsWith(`${typed}=`));
  if (at < 0) return undefined;
  const [name = '', ...value] = (argv[at] ?? '').split(/=(.*)/s, 2);
  const ours = flagsMeant(name) ?? (command && longerFlag(name, command));
  if (ours) return argv.toSpliced(at, 1, ...ours, ...value);
  if (close === undefined || isTarget(close)) return undefined;
  return argv.with(at, `${close}${(argv[at] ?? '').slice(typed.length)}`);
}

/** The only flag that begins so: `--rollout-strategy` for `--rollout`. */
function longerFlag(start: string, command: Command): readonly string[] | undefined {
  if (!/^--\w{3}/.test(start)) return undefined;
  const known = [...flagsOf(command).map(({ long }) => long), ...globalOptions.map(({ long }) => long)];
  const found = known.filter((long) => long.startsWith(start) && long !== start && !isTarget(long));
  return found.length === 1 ? found : undefined;
}
