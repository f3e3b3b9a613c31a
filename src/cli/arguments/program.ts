import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command } from '../../contract/command.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import { refuseEmpty } from '../../fields/read-value.ts';
import type { ReadLine } from '../suggest/hint.ts';
import { type Flag, flagsOf } from './arguments.ts';
import {
  type GlobalOption,
  globalOptions,
  type Invocation,
  isTargetFlag,
  plainWordPositions,
  type TypedCommand,
  wordsBeforeDashes,
} from './options.ts';

/** Called when a target flag or a flag with a list gets another value. Other repeated flags have their last value. */
type OnRepeat = (flag: Flag) => void;

const refuseToRead: ReadLine = async () => {
  throw new CliError('usage', 'nothing is corrected here');
};

/** Reads a command line with Commander and runs nothing. Throws `usage` if it is wrong; `read` checks the hint. */
export async function readCommandLine(
  argv: readonly string[],
  tree: CommandNode,
  version: string,
  read: ReadLine = refuseToRead,
): Promise<Invocation> {
  const wordsBefore = wordsBeforeDashes(argv);
  const wordsAfter = argv.slice(wordsBefore.length + 1);
  let line: TypedCommand | undefined;
  const repeatedFlags: Flag[] = [];
  const onRepeat = (flag: Flag) => repeatedFlags.push(flag);
  const program = newProgram(version, argv, onRepeat);
  const addChildren = (commander: Commander, node: CommandNode, path: readonly string[]): void => {
    for (const child of findNeededChildren(node, argv)) {
      const childPath = [...path, child.name];
      // `.addCommand()` would not pass exitOverride and the output settings on to the new command.
      const leaf = commander.command(child.name).helpCommand(false);
      const { command } = child;
      if (command) {
        addArguments(leaf, command, onRepeat);
        leaf.action(() => {
          const [word] = leaf.args;
          // If a group is also a command without arguments, a word can only be a command below the group.
          if (word !== undefined && child.children.size > 0 && command.positionals.length === 0)
            leaf.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
          const words = [...leaf.args, ...wordsAfter];
          const flags = valuesByFlag(flagsOf(command), optsOfLeaf(leaf), 'long');
          const options = valuesByFlag(globalOptions, program.opts(), 'name');
          line = { kind: 'run', argv, path: childPath.join(' '), command, words, flags, options };
        });
      }
      addChildren(leaf, child, childPath);
    }
  };
  addChildren(program, tree, []);
  try {
    program.parse(wordsBefore, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { kind: 'text', text: `${version}\n` };
    if (error.code !== 'commander.help') {
      const { commandLineError } = await import('../suggest/mistake.ts');
      throw await commandLineError(error, argv, { tree, read });
    }
  }
  const [repeated] = repeatedFlags;
  if (line && repeated) throw await (await import('../suggest/mistake.ts')).givenTwiceError(repeated, line, read);
  if (line) return line;
  const { helpPage } = await import('../help/help.ts');
  return { kind: 'text', text: await helpPage(tree, argv, read) };
}

function newProgram(version: string, argv: readonly string[], onRepeat: OnRepeat): Commander {
  const program = new Commander('stackops')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false)
    .helpCommand(false);
  if (!isVersionOfCommand(argv)) program.version(version, '-V, --version');
  for (const option of findNeededOptions(argv)) {
    // No global option takes an empty value, so empty values are refused.
    program.addOption(commanderOption(option, (text) => refuseEmpty(text, {}, option.long), onRepeat));
  }
  return program;
}

function isVersionOfCommand(argv: readonly string[]): boolean {
  // In `redeploy --version v1.2` the flag does not ask for our version: `v1.2` is a version to deploy.
  const positions = plainWordPositions(argv);
  const at = argv.indexOf('--version');
  return positions.some((position) => position < at) && positions.includes(at + 1);
}

function findNeededOptions(argv: readonly string[]): readonly GlobalOption[] {
  const flags = argv.filter((word) => /^-[a-z]$|^--/.test(word)).map((word) => word.replace(/=.*$/s, ''));
  const hasFlagCluster = argv.some((word) => /^-[^-]./.test(word));
  const typedOptions = globalOptions.filter(({ spellings }) => spellings.some((spelling) => flags.includes(spelling)));
  // Commander needs all options to suggest one for an unknown flag, and to split a cluster such as `-qn`.
  return hasFlagCluster || typedOptions.length < flags.length ? globalOptions : typedOptions;
}

function findNeededChildren(node: CommandNode, argv: readonly string[]): readonly CommandNode[] {
  const children = [...node.children.values()];
  const typedChildren = children.filter(({ name }) => argv.includes(name));
  // For an unknown word all children are needed, to suggest one of them.
  return typedChildren.length > 0 ? typedChildren : children;
}

function addArguments(commander: Commander, command: Command, onRepeat: OnRepeat): void {
  commander.argument('[words...]').allowExcessArguments();
  for (const flag of flagsOf(command)) {
    const { field, long } = flag;
    const splitItems = (text: string) => (field.kind === 'many' && !field.noSplit ? text.split(',') : [text]);
    const refuseEmptyItems = (text: string) => {
      for (const item of splitItems(text)) refuseEmpty(item, field, long);
    };
    commander.addOption(commanderOption(flag, refuseEmptyItems, onRepeat));
  }
}

type FlagValues = Readonly<Record<string, unknown>>;

function optsOfLeaf(leaf: Commander): FlagValues {
  const leafFlags = new Set(leaf.options.map(({ long }) => long));
  let opts = leaf.opts();
  // If a group and its command have the same flag, Commander always gives the flag to the group.
  for (let group = leaf.parent; group?.parent; group = group.parent) {
    const groupOpts = group.opts();
    const stray = group.options.find((option) => option.attributeName() in groupOpts && !leafFlags.has(option.long));
    if (stray) leaf.error(`error: unknown option '${stray.long}'`);
    opts = { ...groupOpts, ...opts };
  }
  return opts;
}

function commanderOption(flag: Flag, checkText: (text: string) => void, onRepeat: OnRepeat): Option {
  const { flags, field, long, takes } = flag;
  const option = new Option(flags).preset(field.implicitValue);
  if (takes !== 'value' && takes !== 'file') return option;
  return option.argParser<unknown>((text, previousValue) => {
    checkText(text);
    if (field.kind === 'many') return [previousValue ?? [], text].flat();
    const isOverride = !field.commas && !isTargetFlag(long);
    if (previousValue === undefined || previousValue === text || isOverride) return text;
    onRepeat(flag);
    return field.commas ? `${previousValue},${text}` : text;
  });
}

function valuesByFlag(flags: readonly Flag[], opts: FlagValues, key: 'long' | 'name'): FlagValues {
  const entries = flags.flatMap((flag) => {
    const option = new Option(flag.long);
    const value = opts[option.attributeName()];
    if (option.negate) return value === false ? [[flag[key], true]] : [];
    return value === undefined || value === false ? [] : [[flag[key], value]];
  });
  return Object.fromEntries(entries);
}
