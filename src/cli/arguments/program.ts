import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command } from '../../contract/command.ts';
import type { CommandNode } from '../../contract/tree.ts';
import type { ReadLine } from '../suggest/meant-command.ts';
import { flagsOf } from './arguments.ts';
import type { Invocation } from './invocation.ts';
import { beforeDashes, type GlobalOption, globalOptions, longSpelling, type Options, spellings } from './options.ts';
import { refuseEmpty } from './value.ts';

/** Reads words and flags with Commander and runs nothing. Throws usage for anything the tree does not know; `read` tries hints. */
export async function readCommandLine(
  argv: readonly string[],
  tree: CommandNode,
  version: string,
  read: ReadLine = (words) => readCommandLine(words, tree, version),
): Promise<Invocation> {
  const ours = beforeDashes(argv);
  const after = argv.slice(ours.length + 1);
  const said: string[] = [];
  let found: Invocation | undefined;
  const program = newProgram(version, said, argv);
  const plantGroup = (commander: Commander, node: CommandNode, path: readonly string[]): void => {
    for (const child of worthPlanting(node, argv)) {
      const below = [...path, child.name];
      // Always `.command()`, never `.addCommand()`: only the former hands exitOverride and the output settings down.
      const leaf = commander.command(child.name).helpCommand(false);
      const { command } = child;
      if (command) {
        plantLeaf(leaf, command, child, () => {
          const words = [...leaf.args, ...after];
          const options = program.opts<Options>();
          found = { kind: 'run', argv, path: below.join(' '), command, words, flags: flagsGiven(leaf), options };
        });
      }
      plantGroup(leaf, child, below);
    }
  };
  plantGroup(program, tree, []);
  try {
    program.parse(ours, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.version') return { kind: 'text', text: said.join('') };
    if (error.code !== 'commander.help') {
      const { mistakeOf } = await import('../suggest/mistake.ts');
      throw await mistakeOf(error, argv, { tree, read });
    }
  }
  if (found) return found;
  const { helpPage } = await import('../help/help-page.ts');
  return { kind: 'text', text: await helpPage(tree, argv, read) };
}

function newProgram(version: string, said: string[], argv: readonly string[]): Commander {
  const program = new Commander('stackops')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => said.push(text),
      writeErr: (text) => said.push(text),
      outputError: () => {},
    })
    .helpCommand(false)
    .version(version, '-V, --version');
  for (const shared of optionsWorthPlanting(argv)) program.addOption(sharedOption(shared));
  return program;
}

/** Those that were typed; all of them when Commander may have to suggest one, or to take a cluster such as `-qn` apart. */
function optionsWorthPlanting(argv: readonly string[]): readonly GlobalOption[] {
  const typed = argv.filter((word) => /^-[a-z]$|^--/.test(word)).map((word) => word.replace(/=.*$/s, ''));
  const isPlain = argv.every((word) => !/^-[^-]./.test(word));
  const known = globalOptions.filter(({ flags }) => spellings(flags).some((spelling) => typed.includes(spelling)));
  return isPlain && known.length >= typed.length ? known : globalOptions;
}

/** Commander needs no more than the words that were typed, unless one of them is none: then it suggests among all. */
function worthPlanting(node: CommandNode, argv: readonly string[]): readonly CommandNode[] {
  const children = [...node.children.values()];
  const typed = children.filter(({ name }) => argv.includes(name));
  return typed.length > 0 ? typed : children;
}

function plantLeaf(commander: Commander, command: Command, node: CommandNode, take: () => void): void {
  commander.argument('[words...]').allowExcessArguments();
  for (const { flags, long, field } of flagsOf(command)) {
    const isList = field.kind === 'many';
    const split = (text: string) => (isList && !field.whole ? text.split(',') : [text]);
    commander.addOption(flagOption(flags, isList, (text) => split(text).map((one) => refuseEmpty(one, field, long))));
  }
  commander.action(() => {
    refuseUnknownChild(commander, command, node);
    take();
  });
}

/** A group that is also a command takes no words, so a word behind it was meant for a command below. */
function refuseUnknownChild(commander: Commander, { positionals }: Command, { children }: CommandNode): void {
  const [word] = commander.args;
  if (word === undefined || positionals.length > 0 || children.size === 0) return;
  commander.error(`error: unknown command '${word}'`, { code: 'commander.unknownCommand' });
}

/** A flag that a group and its command both know is the group's to Commander, wherever it stands. */
function flagsGiven(leaf: Commander): Readonly<Record<string, unknown>> {
  const own = new Set(leaf.options.map(({ long }) => long));
  let flags = leaf.opts();
  for (let group = leaf.parent; group?.parent; group = group.parent) {
    const given = group.opts();
    const stray = group.options.find((option) => option.attributeName() in given && !own.has(option.long));
    if (stray) leaf.error(`error: unknown option '${stray.long}'`);
    flags = { ...given, ...flags };
  }
  return flags;
}

/** No option that every command knows means anything when it is empty. */
function sharedOption({ flags, isRepeatable }: GlobalOption): Option {
  return flagOption(flags, isRepeatable, (text) => refuseEmpty(text, {}, longSpelling({ flags })));
}

/** `check` throws usage for a value that cannot be one. */
function flagOption(flags: string, isRepeatable: boolean | undefined, check: (text: string) => unknown): Option {
  const option = new Option(flags);
  if (!option.required) return option;
  return option.argParser<unknown>((text, before = []) => {
    check(text);
    return isRepeatable ? [before, text].flat() : text;
  });
}
