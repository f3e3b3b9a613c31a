import type { TopLevelCommand } from '../../../contract/tree.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { nearest } from '../../../errors/nearest.ts';
import { plainWordPositions } from '../../arguments/options.ts';
import { describeCommands } from '../describe.ts';
import { isTopic, topicNames } from './topic.ts';

/** The page of the topic that follows `help`; undefined if a command follows. Throws usage for a mistyped topic. */
export async function topicFor(
  argv: readonly string[],
  topLevel: readonly TopLevelCommand[],
): Promise<string | undefined> {
  const [name = '', next] = plainWordPositions(argv).map((at) => argv[at]);
  if (next === undefined && isTopic(name)) {
    const { topicPage } = await import('./topics.ts');
    return topicPage(name, await describeCommands(topLevel));
  }
  const known = topLevel.map((resource) => resource.name);
  const close = known.includes(name) ? undefined : nearest(name, [...known, ...Object.keys(topicNames)]);
  if (close === undefined || !isTopic(close)) return undefined;
  const mistake = close === name ? `unexpected argument "${next}": help takes one topic` : `unknown topic "${name}"`;
  throw new CliError('usage', mistake, { hint: { path: `help ${close}` } });
}
