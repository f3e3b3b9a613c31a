import type { TopLevelCommand } from '../../../contract/tree.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { nearest } from '../../../errors/nearest.ts';
import { plainWordPositions } from '../../arguments/options.ts';
import { describeCommands } from '../describe.ts';
import { isTopic, topicNames } from './topic.ts';

/** Returns the page of the topic after `help`; undefined if a command follows. Throws `usage` for a mistyped topic. */
export async function topicFor(
  argv: readonly string[],
  topLevel: readonly TopLevelCommand[],
): Promise<string | undefined> {
  const [name = '', next] = plainWordPositions(argv).map((at) => argv[at]);
  if (next === undefined && isTopic(name)) {
    const { topicPage } = await import('./topics.ts');
    return topicPage(name, await describeCommands(topLevel));
  }
  const commands = topLevel.map((resource) => resource.name);
  const topic = commands.includes(name) ? undefined : nearest(name, [...commands, ...Object.keys(topicNames)]);
  if (topic === undefined || !isTopic(topic)) return undefined;
  const mistake = topic === name ? `unexpected argument "${next}": help takes one topic` : `unknown topic "${name}"`;
  throw new CliError('usage', mistake, { hint: { path: `help ${topic}` } });
}
