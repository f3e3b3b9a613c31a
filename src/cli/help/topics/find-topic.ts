import type { TopLevelCommand } from '../../../contract/tree.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { nearest } from '../../../errors/nearest.ts';
import { plainWordPositions } from '../../arguments/options.ts';
import { describeCommands } from '../describe.ts';
import { isTopicName, topicNames } from './topic.ts';

/** Returns the page of the topic after `help`; undefined if a command follows. Throws `usage` for a mistyped topic. */
export async function findTopicPage(
  argv: readonly string[],
  topLevel: readonly TopLevelCommand[],
): Promise<string | undefined> {
  const [name = '', next] = plainWordPositions(argv).map((at) => argv[at]);
  if (next === undefined && isTopicName(name)) {
    const { topicPage } = await import('./topics.ts');
    return topicPage(name, await describeCommands(topLevel));
  }
  const commandNames = topLevel.map((command) => command.name);
  const topic = commandNames.includes(name) ? undefined : nearest(name, [...commandNames, ...Object.keys(topicNames)]);
  if (topic === undefined || !isTopicName(topic)) return undefined;
  const mistake = topic === name ? `unexpected argument "${next}": help takes one topic` : `unknown topic "${name}"`;
  throw new CliError('usage', mistake, { hint: { path: `help ${topic}` } });
}
