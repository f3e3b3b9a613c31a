import type { Confirm } from '../../../contract/command.ts';
import { changeMeanings } from '../../../contract/plan.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { exitCodeMeanings } from '../../../errors/exit-codes.ts';
import { nearest } from '../../../errors/nearest.ts';
import { settingTable } from '../../../settings/table.ts';
import type { App } from '../../app.ts';
import { type GlobalOption, helpAndVersion, plainWordPositions } from '../../arguments/options.ts';
import { type CommandDescription, describeCommands } from '../describe.ts';
import { indentedLines, twoColumns } from '../help-layout.ts';
import { optionGroups } from '../option-groups.ts';
import { text as agents } from './agents.txt';
import { text as auth } from './auth.txt';
import { text as confirmation } from './confirmation.txt';
import { text as environment } from './environment.txt';
import { text as exitCodes } from './exit-codes.txt';
import { text as files } from './files.txt';
import { text as options } from './options.txt';
import { text as output } from './output.txt';
import { isTopicName, type Topic, type TopicBlock, type TopicName, topicNames } from './topic.ts';

const topicTexts: Readonly<Record<TopicName, string>> = {
  options,
  output,
  'exit-codes': exitCodes,
  environment,
  auth,
  confirmation,
  // `test/transcripts/files/rights.test.ts` tests each rule about owners, rights and links.
  files,
  agents,
};

/** Returns the page of the topic after `help`; undefined if a command follows. Throws `usage` for a mistyped topic. */
export async function findTopicPage(argv: readonly string[], topLevel: App['topLevel']): Promise<string | undefined> {
  const [name = '', next] = plainWordPositions(argv).map((at) => argv[at]);
  if (next === undefined && isTopicName(name)) return topicPage(name, await describeCommands(topLevel));
  const commandNames = topLevel.map((command) => command.name);
  const topic = commandNames.includes(name) ? undefined : nearest(name, [...commandNames, ...Object.keys(topicNames)]);
  if (topic === undefined || !isTopicName(topic)) return undefined;
  const mistake = topic === name ? `unexpected argument "${next}": help takes one topic` : `unknown topic "${name}"`;
  throw new CliError('usage', mistake, { hint: { path: `help ${topic}` } });
}

type Rows = readonly (readonly [name: string, meaning: string])[];
/** Rows that a text names in braces, such as `{settings}`. */
type Lists = Readonly<Record<string, Rows>>;

export function topicsOf(commands: readonly CommandDescription[]): Readonly<Record<TopicName, Topic>> {
  const lists = listsOf(commands);
  const topics = Object.entries(topicTexts).map(([name, text]) => [name, readTopic(text, lists)]);
  return Object.fromEntries(topics);
}

function listsOf(commands: readonly CommandDescription[]): Lists {
  const variableSettings = Object.values(settingTable).filter(({ variable }) => variable);
  return {
    ...Object.fromEntries(optionGroups.map((group) => [group.title, group.options.map(optionRow)])),
    'help and version': helpAndVersion.map(optionRow),
    'exit codes': exitCodeMeanings.map(([code, meaning]) => [String(code), meaning]),
    settings: variableSettings.map(({ variable = '', about }) => [variable, about]),
    'confirmed with -y': commandsThatAsk(commands, 'yes'),
    'confirmed with a name': commandsThatAsk(commands, 'typed'),
    changes: Object.entries(changeMeanings),
  };
}

function optionRow({ flags, about }: Pick<GlobalOption, 'flags' | 'about'>) {
  return [flags, about] as const;
}

/** Returns the commands that ask for confirmation at a level, each with the condition under which it asks. */
export function commandsThatAsk(commands: readonly CommandDescription[], level: Confirm['level']): Rows {
  return commands
    .filter(({ confirmation }) => confirmation === level)
    .map(({ name, confirmation_when }) => [name, confirmation_when ?? 'always']);
}

/** Reads a title and blocks: a paragraph, indented rows of `NAME  MEANING` below a heading or none, or `$ EXAMPLE`s. */
function readTopic(text: string, lists: Lists): Topic {
  const [title = '', ...blocks] = text.trim().split('\n\n');
  return { title, blocks: blocks.map((block) => readBlock(block, lists)) };
}

function readBlock(block: string, lists: Lists): TopicBlock {
  const lines = block.split('\n');
  if (block.startsWith('$ ')) return { examples: lines.map((line) => line.slice(2)) };
  const rowLines = lines.filter((line) => line.startsWith('  '));
  if (rowLines.length === 0) return block;
  const rows = rowLines.flatMap((line) => readRows(line.trim(), lists));
  return block.startsWith('  ') ? { rows } : { title: block.slice(0, block.indexOf(':\n')), rows };
}

function readRows(line: string, lists: Lists): Rows {
  const [, listName] = /^\{(.+)\}$/.exec(line) ?? [];
  if (listName !== undefined) return lists[listName] ?? [];
  const [name = '', meaning = ''] = line.split(/ {2,}/);
  return [[name, meaning]];
}

function topicPage(name: TopicName, commands: readonly CommandDescription[]): string {
  const { title, blocks } = topicsOf(commands)[name];
  return `${[title, ...blocks.map(blockText)].join('\n\n')}\n`;
}

function blockText(block: TopicBlock): string {
  return blockLines(block)
    .map((line) => `  ${line}`.trimEnd())
    .join('\n');
}

function blockLines(block: TopicBlock): readonly string[] {
  if (typeof block === 'string') return indentedLines(block);
  if ('examples' in block) return block.examples;
  return [...(block.title ? indentedLines(`${block.title}:`) : []), ...twoColumns(block.rows)];
}
