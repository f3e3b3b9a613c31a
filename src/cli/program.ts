import { Command as Commander, CommanderError, Option } from 'commander';
import type { Command } from '../contract/command.ts';
import type { CommandNode } from '../contract/tree.ts';
import { Problem } from '../problems/problem.ts';
import { flagsOf, wordsOf } from './arguments.ts';
import { groupHelp, leafHelp } from './help.ts';
import { globalOptions, type Options } from './options.ts';

/** What a command line asks for. */
export type Invocation =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'run';
      readonly path: readonly string[];
      readonly command: Command;
      readonly words: readonly string[];
      readonly flags: Readonly<Record<string, unknown>>;
      readonly options: Options;
    };

/** Reads words and flags with Commander and runs nothing. Throws usage for anything the tree does not know. */
export function readCommandLine(argv: readonly string[], tree: CommandNode, version: string): Invocation {
  const cut = argv.indexOf('--');
  const after = cut < 0 ? [] : argv.slice(cut + 1);
  const said: string[] = [];
  let found: Invocation | undefined;
  const program = newProgram(version, said);
  describeGroup(program, tree, []);
  for (const child of tree.children.values()) {
    plant(program, child, [], (path, command, leaf) => {
      const words = [...leaf.args, ...after];
      found = { kind: 'run', path, command, words, flags: leaf.opts(), options: program.opts<Options>() };
    });
  }
  try {
    program.parse(cut < 0 ? argv : argv.slice(0, cut), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (said.length > 0 && error.exitCode === 0) return { kind: 'text', text: said.join('') };
    if (error.code === 'commander.help') return { kind: 'text', text: said.join('') };
    throw usageProblem(error.message);
  }
  return found ?? { kind: 'text', text: groupHelp(tree, []) };
}

function newProgram(version: string, said: string[]): Commander {
  const program = new Commander('stackops')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => said.push(text),
      writeErr: (text) => said.push(text),
      outputError: () => {},
    })
    .helpCommand('help [command]')
    .version(`${version}`, '-V, --version');
  for (const { flags, about } of globalOptions) program.addOption(new Option(flags, about));
  return program;
}

type Found = (path: readonly string[], command: Command, leaf: Commander) => void;

// Always `.command()`, never `.addCommand()`: only the former hands exitOverride and the output settings down.
function plant(parent: Commander, node: CommandNode, above: readonly string[], found: Found): void {
  const path = [...above, node.name];
  const commander = parent.command(node.name);
  if (node.children.size > 0) describeGroup(commander, node, path);
  for (const child of node.children.values()) plant(commander, child, path, found);
  const { command } = node;
  if (!command) return;
  commander.argument('[words...]').allowExcessArguments();
  commander.helpInformation = () => leafHelp(command, path);
  commander.helpOption('-h, --help');
  for (const word of wordsOf(command)) void word;
  for (const flag of flagsOf(command)) commander.addOption(flagOption(flag.flags, flag.field.kind === 'many'));
  commander.action(() => found(path, command, commander));
}

function flagOption(flags: string, repeatable: boolean): Option {
  const option = new Option(flags);
  return repeatable ? option.argParser((text: string, before: string[] = []) => [...before, text]) : option;
}

function describeGroup(commander: Commander, node: CommandNode, path: readonly string[]): void {
  commander.helpInformation = () => groupHelp(node, path);
}

/** `error: unknown option '--jsn'\n(Did you mean --json?)` becomes a message and a hint. */
function usageProblem(message: string): Problem {
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const [, close] = /^\(Did you mean (?:one of )?(.+)\?\)$/.exec(second) ?? [];
  return new Problem('usage', first, { hint: close ? `did you mean ${close}?` : 'stackops --help' });
}
