import type {
  CommandDescription,
  FieldDescription,
  OptionDescription,
  ValueDescription,
} from '../../contract/description.ts';
import type { CommandNode } from '../../contract/tree.ts';
import { answeredOptions, globalOptions, longSpelling } from '../words/options.ts';
import { describeCommand } from './describe.ts';
import { indented, paragraph, twoColumns } from './help-layout.ts';

/** Pages that belong to no command; `topics.ts` writes them. */
export const topicNames = {
  'exit-codes': 'What the exit codes mean.',
  environment: 'Variables of the environment that are read.',
  output: 'Tables, tab-separated rows and JSON, and how to choose from them.',
  auth: 'Where the token comes from and where it goes.',
  confirmation: 'Which changes ask first, and what answers them.',
  files: 'Files that are read and written, and what wins over what.',
} as const;
export type TopicName = keyof typeof topicNames;

/** The page of a word: a group, a command, or a command with others below it. */
export function nodeHelp(node: CommandNode, path: readonly string[]): string {
  if (!node.command) return groupHelp(node, path);
  return leafHelp(describeCommand(path.join(' '), node.command, node.description), childRows(node));
}

type HelpRow = readonly [string, string];

function childRows({ children }: CommandNode): readonly HelpRow[] {
  return [...children.values()].map(({ name, about }) => [name, about]);
}

/** The page of a group: its purpose and what it holds. */
function groupHelp(node: CommandNode, path: readonly string[]): string {
  const name = ['stackops', ...path].join(' ');
  const isRoot = path.length === 0;
  return page([
    paragraph(node.about),
    paragraph(node.description ?? ''),
    section('Usage', [`${name} <command> [flags]`]),
    section('Commands', twoColumns(childRows(node))),
    isRoot ? section('Topics', twoColumns(topicRows())) : '',
    isRoot ? section('Global options', twoColumns([...globalOptions, ...answeredOptions].map(rowOf))) : '',
    `Help on one command: ${name} <command> --help`,
  ]);
}

function topicRows(): readonly HelpRow[] {
  return Object.entries(topicNames).map(([name, about]) => [`help ${name}`, about]);
}

/** The page of a command: what it is for, usage, examples first, then everything it takes and gives. */
function leafHelp(command: CommandDescription, below: readonly HelpRow[]): string {
  const more = below.length > 0 ? [`stackops ${command.name} <command> [flags]`] : [];
  const [fields, columns] = [namesOf(command.fields), namesOf(command.columns)];
  return page([
    paragraph(command.about),
    paragraph(command.description ?? ''),
    section('Usage', [command.usage, ...more]),
    section('Commands', twoColumns(below)),
    section('Examples', command.examples),
    section('Arguments', twoColumns(command.arguments.map((word) => [word.shown, sentencesOf(word)]))),
    section('Options', twoColumns([...ownFlags(command), ...command.places.map(rowOf)])),
    section('Output', twoColumns(optionsOf(command).map(rowOf))),
    section('Global options', indented(`${optionsAlike().join(', ')}; see stackops --help`)),
    section('Fields', fields.length > 0 ? indented(fields.join(', ')) : []),
    section('Columns', columns.length > 0 ? indented(columns.join(', ')) : []),
    section('Notes', notesOf(command).flatMap(indented)),
    section('Exit codes', twoColumns(exitRows(command))),
  ]);
}

/** Those that stand by themselves; what is below them has dots in its name. */
export function namesOf(fields: readonly FieldDescription[]): readonly string[] {
  return fields.filter(({ name }) => !name.includes('.')).map(({ name }) => name);
}

function rowOf({ flags, about }: { readonly flags: string; readonly about: string }): HelpRow {
  return [flags, about];
}

function ownFlags({ flags }: CommandDescription): readonly HelpRow[] {
  return flags.map((flag) => [flag.flags, sentencesOf(flag)]);
}

/** Those options of all commands that make a difference to this one, with what they do here. */
export function optionsOf({ options, shows }: CommandDescription): readonly OptionDescription[] {
  const mattering = globalOptions.filter((option) => options.includes(longSpelling(option)));
  return mattering.map(({ flags, about }) => ({
    flags,
    about: flags.endsWith('--quiet') && shows ? quietly[shows] : about,
  }));
}

const quietly = {
  rows: 'Only the identifiers, one a line, and errors.',
  object: 'Only data and errors.',
  value: 'Only data and errors.',
  change: 'Say nothing of what was done; only errors.',
} as const;

/** Those options of all commands that are alike everywhere. */
export function optionsAlike(): readonly string[] {
  const rest = globalOptions.filter(({ where }) => where === 'connection' || where === 'process');
  return [...rest.map(longSpelling), '--help'];
}

/** What a value means, what it may be, and what it is when nothing is given. */
export function sentencesOf({ about, choices, open, default: preset }: ValueDescription): string {
  const known = choices ? ` One of ${choices.join(', ')}${open ? ', or another' : ''}.` : '';
  return `${about}${known}${preset === null ? '' : ` Default: ${preset}.`}`;
}

/** Scope, confirmation and assumptions, each in a sentence or two. */
export function notesOf(command: CommandDescription): readonly string[] {
  const { scopes, operations, confirmation, confirmation_when: when } = command;
  const token = scopes.length === 0 ? 'No token is needed.' : `Scope: ${scopes.join(', ')}.`;
  const isOutside = operations.some(({ documented }) => !documented);
  return [
    ...(operations.length > 0 ? [token] : []),
    ...(command.changes_something && confirmation === 'none' ? ['Acts without asking.'] : []),
    ...(confirmation === 'yes' ? [`Asks ${when ?? 'before it acts'}; -y answers.`] : []),
    ...(confirmation === 'typed' ? ['Asks for the typed name; --confirm NAME answers, -y does not.'] : []),
    ...command.assumptions.map((text) => `Assumed: ${text}`),
    ...(isOutside ? ['Uses an endpoint outside the service document; a service may not offer it.'] : []),
  ];
}

/** Exit codes as they are written: a program's own has no number. */
export function exitRows({ exit_codes: exits }: CommandDescription): readonly HelpRow[] {
  return exits.map(({ code, meaning }) => [code === null ? 'any' : String(code), meaning]);
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

function page(parts: readonly string[]): string {
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}
