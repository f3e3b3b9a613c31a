import type { CommandNode } from '../../contract/tree.ts';
import { type GlobalOption, globalOptions } from '../arguments/options.ts';
import type { ReadLine } from '../suggest/hint.ts';
import { followWords, unknownWordError } from '../suggest/unknown-word.ts';
import {
  type CommandDescription,
  describeCommand,
  type FieldDescription,
  longSpelling,
  type ValueDescription,
} from './describe.ts';
import { labelledText, layOutPage, paragraph, section, twoColumns } from './help-layout.ts';
import { briefOptionLists } from './option-groups.ts';
import { topicNames } from './topics/topic.ts';

/** Returns the page of the command or group on the command line. Throws `usage` for an unknown name in a group. */
export async function helpPage(tree: CommandNode, argv: readonly string[], read: ReadLine): Promise<string> {
  const { strayAt, ...reached } = followWords(tree, argv);
  if (strayAt !== undefined) throw await unknownWordError(argv, strayAt, { ...reached, tree, read });
  return nodeHelp(reached.node, reached.path);
}

export function nodeHelp(node: CommandNode, path: readonly string[]): string {
  if (path.length === 0) return firstScreen(node);
  if (!node.command) return groupHelp(node, path);
  return leafHelp(describeCommand(path.join(' '), node.command, node.description), childRows(node));
}

type HelpRow = readonly [string, string];

function childRows({ children }: CommandNode): readonly HelpRow[] {
  return [...children.values()].map(({ name, about }) => [name, about]);
}

function groupHelp(node: CommandNode, path: readonly string[]): string {
  const name = ['stackops', ...path].join(' ');
  return layOutPage([
    paragraph(node.about),
    `Usage: ${name} <command> [flags]`,
    section('Commands', twoColumns(childRows(node))),
    labelledText('Notes', node.description ?? ''),
    `Help on one command: ${name} <command> --help`,
  ]);
}

function leafHelp(command: CommandDescription, below: readonly HelpRow[]): string {
  // A page has at most 40 lines, because programs that read help read no more lines.
  return layOutPage([
    paragraph(command.about),
    `Usage: ${command.usage}`,
    section('Commands', twoColumns(below)),
    section('Arguments', twoColumns(command.arguments.map((argument) => [argument.shown, sentencesOf(argument)]))),
    section('Flags', twoColumns(flagRows(command))),
    labelledText('Also', briefFlags(command)),
    section('Examples', command.examples),
    [
      briefOptionLists(command.options),
      labelledText('Fields', namesOf(command.fields).join(', ')),
      labelledText('Columns', namesOf(command.columns).join(', ')),
      labelledText('Notes', [command.description, ...notesOf(command)].filter(Boolean).join(' ')),
    ]
      .filter(Boolean)
      .join('\n'),
    section('Values', [...twoColumns(valueRows(command)), ...wordsInJson(command)]),
    section('Exit codes', twoColumns(exitRows(command))),
  ]);
}

/** Returns the names of top-level fields. Nested fields, which have dots in their names, are left out. */
export function namesOf(fields: readonly FieldDescription[]): readonly string[] {
  return fields.filter(({ name }) => !name.includes('.')).map(({ name }) => name);
}

function flagRows(command: CommandDescription): readonly HelpRow[] {
  // `--reveal` is among the flags of a command, because it shows that the output has secrets.
  const sharedFlags = [...command.places, ...optionsOf(command).filter(({ group }) => group === 'secret')];
  return [
    ...command.flags.filter(({ brief }) => !brief).map((flag) => [flag.flags, sentencesOf(flag)] as const),
    ...sharedFlags.map(({ flags, about }) => [flags, about] as const),
  ];
}

function briefFlags({ flags, name }: CommandDescription): string {
  const flagTexts = flags
    .filter(({ brief }) => brief)
    .map((flag) => (flag.default === null ? longSpelling(flag) : `${longSpelling(flag)} ${flag.default}`));
  return flagTexts.length === 0 ? '' : `${flagTexts.join(', ')}; see man stackops-${name.split(' ')[0]}`;
}

/** Returns each field with its possible values: `health`, `0=unknown, …`. Those of a change are in `help output`. */
export function valueRows({ fields, columns, shows }: CommandDescription): readonly HelpRow[] {
  if (shows === 'change') return [];
  return [...fields, ...columns].flatMap(({ name, values }) => {
    if (values === null) return [];
    return [[name, values.map(({ code, word }) => (code === null ? word : `${code}=${word}`)).join(', ')] as const];
  });
}

function wordsInJson({ fields, shows }: CommandDescription): readonly string[] {
  // A code is a number in JSON output. Its word is in another field; inside of a group, it is beside the code.
  const codeField = fields.find(({ name, values }) => !name.includes('.') && values?.some(({ code }) => code !== null));
  if (shows !== 'rows' || codeField === undefined) return [];
  const wordName = `${codeField.name}_text`;
  return [`Words in JSON: --fields ${fields[0]?.name},${wordName} --jq '.[].${wordName}'`];
}

/** Returns the global options that affect this command, described by their effect on this command. */
export function optionsOf({ options, shows }: CommandDescription): readonly GlobalOption[] {
  const appliedOptions = globalOptions.filter((option) => options.includes(option.long));
  return appliedOptions.map((option) =>
    shows && option.long === '--quiet' ? { ...option, about: quietMeanings[shows] } : option,
  );
}

const quietMeanings = {
  rows: 'Print only IDs, one a line.',
  object: 'Print only data.',
  value: 'Print only data.',
  change: 'Print nothing but errors.',
} as const;

export function flagsOfEveryCommand(): readonly string[] {
  const sharedOptions = globalOptions.filter(({ group }) => group === 'connection' || group === 'process');
  return [...sharedOptions.map(({ long }) => long), '--help'];
}

export function sentencesOf({ about, choices, open, empty, default: preset }: ValueDescription): string {
  const choicesText = choices ? ` One of ${choices.join(', ')}${open ? ', or another' : ''}.` : '';
  return `${about}${choicesText}${empty === null ? '' : ` ${empty}`}${preset === null ? '' : ` Default: ${preset}.`}`;
}

/** Returns a note on scope, confirmation and secrets, then a note on endpoints that the service may lack. */
export function notesOf(command: CommandDescription): readonly string[] {
  const { scopes, operations, effects } = command;
  const scopeNote = scopes.length === 0 ? 'Needs no token.' : `Scope: ${scopes.join(', ')}.`;
  const secretsNote = effects.includes('prints_secret') ? 'Secrets are not masked here.' : '';
  const note = [operations.length > 0 && scopeNote, confirmationNote(command), secretsNote].filter(Boolean).join(' ');
  const undocumentedCount = operations.filter(({ documented }) => !documented).length;
  const lackingNote =
    undocumentedCount < operations.length
      ? 'Partly not in the service document; your service may not offer all of it.'
      : 'Not in the service document; your service may not offer it.';
  return [note, undocumentedCount > 0 ? lackingNote : ''].filter(Boolean);
}

function confirmationNote(command: CommandDescription): string {
  const { confirmation, confirmation_when: when } = command;
  if (confirmation === 'yes') return `Asks ${when ?? 'before it acts'}; -y confirms.`;
  if (confirmation === 'typed') return 'Asks you to type the name; --confirm NAME confirms, -y does not.';
  return command.changes_something ? 'Does not ask for confirmation.' : '';
}

/** Returns the rows of exit codes. `any` stands for the exit code of a program that is run. */
export function exitRows({ exit_codes: exits }: CommandDescription): readonly HelpRow[] {
  return exits.map(({ code, meaning }) => [code === null ? 'any' : String(code), meaning]);
}

const everydayCommands = ['stack', 'env', 'deployment', 'redeploy', 'variant', 'status'];
const toolCommands = ['auth', 'profile', 'config', 'history', 'doctor', 'completion', 'commands', 'sandbox', 'api'];

/** The most important flags, in two pairs of columns. `help options` explains all flags. */
const flagLines = [
  '-s, --stack <name>    Stack to act on.    -y, --yes      Assume yes.',
  '-p, --profile <name>  Profile to use.     -v, --verbose  Trace requests.',
  '--json                Print JSON.         --sandbox      Practice service.',
  '-n, --dry-run         Print the request.  -h, --help     Show help.',
];

function firstScreen({ about, children }: CommandNode): string {
  // The page fits on a terminal of 80 columns and 24 lines.
  const rows = everydayCommands.map((name): readonly [string, string] => [name, children.get(name)?.about ?? envAbout]);
  const namedCommands = [...everydayCommands, ...toolCommands];
  const otherCommands = [...children.keys()].filter((name) => !namedCommands.includes(name));
  return layOutPage([
    `${about}\nUsage: stackops <command> [flags]`,
    section('Everyday', twoColumns(rows)),
    [
      labelledText('Also', otherCommands.join(' ')),
      labelledText('Tool', toolCommands.join(' ')),
      labelledText('Topics', Object.keys(topicNames).join(' ')),
    ].join('\n'),
    section('Flags', flagLines),
    'More: stackops commands, stackops <command> --help, stackops help <topic>.',
  ]);
}

/** The description of `env`, which is an alias of `stack env` and not a top-level command. */
const envAbout = 'List, set, unset and roll back environment variables.';
