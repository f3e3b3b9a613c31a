import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command } from '../../contract/command.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { CliError } from '../../errors/cli-error.ts';
import { refuseEmpty } from '../../fields/read-value.ts';
import type { ReadLine } from '../suggest/hint.ts';
import { type Flag, flagsOf } from './arguments.ts';
import {
  beforeDashes,
  type GlobalOption,
  globalOptions,
  type Invocation,
  isTarget,
  plainWords,
  type TypedCommand,
} from './options.ts';

interface LeafOptions {
  readonly isGroup: boolean;
  readonly repeat: Repeat;
  /** Called when the command is typed. */
  readonly take: () => void;
}

/** Called for a flag of a target or a list that is given again with another value. Of other flags the last one counts. */
type Repeat = (flag: Flag) => void;

const noHint: ReadLine = async () => {
  throw new CliError('usage', 'nothing is corrected here');
};

/** Reads words and flags with Commander, and runs nothing. Throws usage for unknown ones; `read` checks the suggested command. */
export async function readCommandLine(
  argv: readonly string[],
  tree: CommandNode,
  version: string,
  read: ReadLine = noHint,
): Promise<Invocation> {
  const ours = beforeDashes(argv);
  const after = argv.slice(ours.length + 1);
  let found: TypedCommand | undefined;
  const repeated: Flag[] = [];
  const repeat = (flag: Flag) => repeated.push(flag);
  const program = newProgram(version, argv, repeat);
  const addChildren = (commander: Commander, node: CommandNode, path: readonly string[]): void => {
    for (const child of neededChildren(node, argv)) {
      const below = [...path, child.name];
      // Always `.command()`, never `.addCommand()`: only the former hands exitOverride and the output settings down.
      const leaf = commander.command(child.name).helpCommand(false);
      const { command } = child;
      if (command) {
        const isGroup = child.children.size > 0;
        const take = () => {
          const words = [...leaf.args, ...after];
          const flags = givenFlags(flagsOf(command), flagsGiven(leaf), 'long');
          const options = givenFlags(globalOptions, program.opts(), 'name');
          found = { kind: 'run', argv, path: below.join(' '), command, words, flags, options };
        };
        addLeaf(leaf, command, { isGroup, repeat, take });
      }
      addChildren(leaf, child, below);
    }
  };
  addChildren(program, tree, []);
  try {
    program.parse(ours, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { kind: 'text', text: `${version}\n` };
    if (error.code !== 'commander.help') {
      const { commandLineError } = await import('../suggest/mistake.ts');
      throw await commandLineError(error, argv, { tree, read });
    }
  }
  const [twice] = repeated;
  if (found && twice) throw await (await import('../suggest/mistake.ts')).givenTwiceError(twice, found, read);
  if (found) return found;
  const { helpPage } = await import('../help/help.ts');
  return { kind: 'text', text: await helpPage(tree, argv, read) };
}

function newProgram(version: string, argv: readonly string[], repeat: Repeat): Commander {
  const program = new Commander('stackops')
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false)
    .helpCommand(false);
  if (!givesVersion(argv)) program.version(version, '-V, --version');
  for (const option of neededOptions(argv)) {
    // No global option takes an empty value.
    program.addOption(commanderOption(option, (text) => refuseEmpty(text, {}, option.long), repeat));
  }
  return program;
}

function givesVersion(argv: readonly string[]): boolean {
  // `redeploy --version v1.2` names the version to deploy.
  const words = plainWords(argv);
  const at = argv.indexOf('--version');
  return words.some((word) => word < at) && words.includes(at + 1);
}

function neededOptions(argv: readonly string[]): readonly GlobalOption[] {
  const typed = argv.filter((word) => /^-[a-z]$|^--/.test(word)).map((word) => word.replace(/=.*$/s, ''));
  const isPlain = argv.every((word) => !/^-[^-]./.test(word));
  const known = globalOptions.filter(({ spellings }) => spellings.some((spelling) => typed.includes(spelling)));
  // All of them when Commander may have to suggest one, or to take a cluster such as `-qn` apart.
  return isPlain && known.length >= typed.length ? known : globalOptions;
}

function neededChildren(node: CommandNode, argv: readonly string[]): readonly CommandNode[] {
  const children = [...node.children.values()];
  const typed = children.filter(({ name }) => argv.includes(name));
  // Commander suggests one of them for an unknown word.
  return typed.length > 0 ? typed : children;
}

function addLeaf(commander: Commander, command: Command, { isGroup, repeat, take }: LeafOptions): void {
  commander.argument('[words...]').allowExcessArguments();
  for (const flag of flagsOf(command)) {
    const { field, long } = flag;
    const split = (text: string) => (field.kind === 'many' && !field.noSplit ? text.split(',') : [text]);
    const refuse = (text: string) => {
      for (const one of split(text)) refuseEmpty(one, field, long);
    };
    commander.addOption(commanderOption(flag, refuse, repeat));
  }
  commander.action(() => {
    const [word] = commander.args;
    // A group that is also a command takes no words: one was meant for a command below.
    if (isGroup && word !== undefined && command.positionals.length === 0) {
      commander.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
    }
    take();
  });
}

function flagsGiven(leaf: Commander): Readonly<Record<string, unknown>> {
  const own = new Set(leaf.options.map(({ long }) => long));
  let flags = leaf.opts();
  // Commander gives a flag of both a group and its command to the group, wherever the flag stands.
  for (let group = leaf.parent; group?.parent; group = group.parent) {
    const given = group.opts();
    const stray = group.options.find((option) => option.attributeName() in given && !own.has(option.long));
    if (stray) leaf.error(`error: unknown option '${stray.long}'`);
    flags = { ...given, ...flags };
  }
  return flags;
}

function commanderOption(flag: Flag, refuse: (text: string) => void, repeat: Repeat): Option {
  const { flags, field, long, takes } = flag;
  const option = new Option(flags).preset(field.implicitValue);
  if (takes !== 'value' && takes !== 'file') return option;
  return option.argParser<unknown>((text, before) => {
    refuse(text);
    if (field.kind === 'many') return [before ?? [], text].flat();
    const isOverride = !field.commas && !isTarget(long);
    if (before === undefined || before === text || isOverride) return text;
    repeat(flag);
    return field.commas ? `${before},${text}` : text;
  });
}

function givenFlags(
  flags: readonly Flag[],
  collected: Readonly<Record<string, unknown>>,
  key: 'long' | 'name',
): Readonly<Record<string, unknown>> {
  const given = flags.flatMap((flag) => {
    const option = new Option(flag.long);
    const value = collected[option.attributeName()];
    if (option.negate) return value === false ? [[flag[key], true]] : [];
    return value === undefined || value === false ? [] : [[flag[key], value]];
  });
  return Object.fromEntries(given);
}
