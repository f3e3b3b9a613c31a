import type { CommandDescription } from '../../../contract/description.ts';
import { exitMeanings } from '../../../problems/exit-codes.ts';
import { indented, twoColumns } from '../help-layout.ts';
import { agentsTopic } from './agents.ts';
import { authTopic } from './auth.ts';
import { confirmationTopic } from './confirmation.ts';
import { environmentTopic } from './environment.ts';
import { filesTopic } from './files.ts';
import { optionsTopic } from './options.ts';
import { outputTopic } from './output.ts';
import type { Topic, TopicBlock } from './topic.ts';
import { type TopicName, topicNames } from './topic-names.ts';

const topics: Readonly<Record<TopicName, (commands: readonly CommandDescription[]) => Topic>> = {
  options: optionsTopic,
  output: outputTopic,
  'exit-codes': () => ({
    title: 'Exit codes',
    blocks: [
      { kind: 'rows', rows: exitMeanings.map(([code, meaning]) => [String(code), meaning]) },
      {
        kind: 'text',
        text: 'The help of a command says what a code means there. 129, 130 and 143 are signals raised again, so a calling script sees them and stops too.',
      },
      { kind: 'examples', lines: ['stackops variant list -s shop --json > variants.json || echo "failed with $?"'] },
    ],
  }),
  environment: environmentTopic,
  auth: authTopic,
  confirmation: confirmationTopic,
  files: filesTopic,
  agents: agentsTopic,
};

/** Every topic by its name, given all commands. */
export function readTopics(
  commands: readonly CommandDescription[],
): readonly (readonly [name: string, topic: Topic])[] {
  return Object.entries(topics).map(([name, write]) => [name, write(commands)]);
}

/** The page of a topic; empty for a word that is none. */
export function topicPage(name: string, commands: readonly CommandDescription[]): string {
  const { title, blocks } = isTopic(name) ? topics[name](commands) : { title: '', blocks: [] };
  return `${[title, ...blocks.map(blockText)].join('\n\n')}\n`;
}

function isTopic(name: string): name is TopicName {
  return Object.hasOwn(topicNames, name);
}

function blockText(block: TopicBlock): string {
  const heading = block.kind === 'rows' && block.title ? indented(`${block.title}:`) : [];
  return [...heading, ...blockLines(block)].map((line) => `  ${line}`.trimEnd()).join('\n');
}

function blockLines(block: TopicBlock): readonly string[] {
  if (block.kind === 'text') return indented(block.text);
  return block.kind === 'rows' ? twoColumns(block.rows) : block.lines;
}
