import { type Command, commandQueues, commandWrites } from '../contract/command.ts';
import type { Field } from '../contract/field.ts';
import type { CommandNode } from '../contract/tree.ts';
import { flagsOf, wordsOf } from './arguments.ts';
import { indented, paragraph, twoColumns } from './help-layout.ts';
import { type GlobalOption, globalOptions } from './options.ts';

/** The page of the deepest command or group that the words name; words that name nothing are passed over. */
export function helpPage(tree: CommandNode, words: readonly string[]): string {
  let node = tree;
  const path: string[] = [];
  for (const word of words) {
    const below = node.children.get(word);
    if (!below) continue;
    node = below;
    path.push(word);
  }
  return nodeHelp(node, path);
}

/** The page of a word: a group, a command, or a command with others below it. */
export function nodeHelp(node: CommandNode, path: readonly string[]): string {
  return node.command ? leafHelp(node.command, path, childRows(node)) : groupHelp(node, path);
}

type HelpRow = readonly [string, string];

function childRows({ children }: CommandNode): readonly HelpRow[] {
  return [...children.values()].map(({ name, about }) => [name, about]);
}

/** The page of a group: its purpose and what it holds. */
export function groupHelp(node: CommandNode, path: readonly string[]): string {
  const name = ['stackops', ...path].join(' ');
  const parts = [
    paragraph(node.about),
    section('Usage', [`${name} <command> [flags]`]),
    section('Commands', twoColumns(childRows(node))),
    path.length === 0
      ? section('Global options', twoColumns(globalOptions.map(({ flags, about }) => [flags, about])))
      : '',
    `Help on one command: ${name} <command> --help`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** The page of a command: purpose, usage, examples, words, flags, global options in brief, fields, scope. */
function leafHelp(command: Command, path: readonly string[], below: readonly HelpRow[]): string {
  const name = ['stackops', ...path].join(' ');
  const words = wordsOf(command);
  const usage = [name, ...words.map(({ shown }) => shown), command.runsProgram ? '' : '[flags]'];
  const parts = [
    paragraph(command.about),
    section('Usage', [usage.filter(Boolean).join(' '), ...(below.length > 0 ? [`${name} <command> [flags]`] : [])]),
    section('Commands', twoColumns(below)),
    section('Examples', command.examples),
    section('Arguments', twoColumns(words.map(({ shown, field }) => [shown, aboutOf(field)]))),
    section('Options', twoColumns([...ownFlags(command), ...placeOptions(command).map(rowOf)])),
    section('Output', twoColumns(relevantOptions(command).map(rowOf))),
    section('Fields', fieldsOf(command)),
    section('Notes', notesOf(command)),
    'Global options: stackops --help',
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

function ownFlags(command: Command): readonly (readonly [string, string])[] {
  return flagsOf(command).map(({ flags, about, field }) => [flags, aboutOf({ ...field, about })]);
}

function rowOf({ flags, about }: GlobalOption): HelpRow {
  return [flags, about];
}

/** The global options that can matter to a command: where it acts, and what shapes or guards what it does. */
export function optionsFor(command: Command): readonly GlobalOption[] {
  return [...placeOptions(command), ...relevantOptions(command)];
}

function placeOptions(command: Command): readonly GlobalOption[] {
  const places = Object.values<Field>(command.params).map(({ place }) => place);
  return globalOptions.filter(
    ({ where, flags }) => where === 'place' && places.some((place) => place && flags.includes(`--${place} `)),
  );
}

function relevantOptions(command: Command): readonly GlobalOption[] {
  const isList = command.reply?.envelope === 'page' || command.reply?.envelope === 'rows';
  const wanted = (option: GlobalOption) =>
    (option.where === 'output' && command.reply !== undefined) ||
    (option.where === 'list' && isList && !commandWrites(command)) ||
    (option.where === 'write' && commandWrites(command) && matters(option, command)) ||
    (option.where === 'wait' && waitsBy(option, command)) ||
    (option.where === 'several' && commandWrites(command) && changesSeveral(command));
  return globalOptions.filter(wanted);
}

function waitsBy({ flags }: GlobalOption, command: Command): boolean {
  return commandQueues(command) || (command.waits === true && !flags.endsWith('--wait'));
}

function changesSeveral({ params, positionals, severalStacks }: Command): boolean {
  return severalStacks === true || positionals.some((name) => params[name].kind === 'many');
}

function matters({ flags }: GlobalOption, { confirm }: Command): boolean {
  if (flags.includes('--yes')) return confirm?.level === 'yes';
  return !flags.includes('--confirm') || confirm?.level === 'typed';
}

function aboutOf(field: Field): string {
  const choices = field.choices ? ` One of ${field.choices.join(', ')}${field.open ? ', or another' : ''}.` : '';
  const preset = field.preset === undefined ? '' : ` Default: ${field.preset}.`;
  return `${field.about}${choices}${preset}`;
}

function fieldsOf({ reply }: Command): readonly string[] {
  return reply?.record ? indented(Object.keys(reply.record.fields).join(', ')) : [];
}

function notesOf(command: Command): readonly string[] {
  const scopes = [...new Set(command.calls.map(({ scope }) => scope))].filter((scope) => scope !== 'none');
  const assumptions = [...new Set(command.calls.flatMap(({ undocumented }) => undocumented ?? []))];
  const outside = command.calls.some((operation) => operation.outside);
  return [
    ...(command.calls.length === 0
      ? []
      : [scopes.length === 0 ? 'No token is needed.' : `Scope: ${scopes.join(', ')}.`]),
    ...(commandWrites(command) && !command.confirm ? ['Acts without asking.'] : []),
    ...(command.confirm?.level === 'yes' ? ['Asks before it acts; -y answers.'] : []),
    ...(command.confirm?.level === 'typed' ? ['Asks for the typed name; --confirm NAME answers, -y does not.'] : []),
    ...assumptions.flatMap((text) => indented(`Assumed: ${text}`)),
    ...(outside ? ['Uses an endpoint outside the service document; a service may not offer it.'] : []),
  ];
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}
