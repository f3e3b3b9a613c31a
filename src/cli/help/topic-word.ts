import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { plainWords } from '../words/options.ts';
import type { TopLevelCommand } from '../world.ts';
import { describeCommands } from './describe-commands.ts';
import { topicNames } from './topic-names.ts';

/** The page of the topic that stands behind `help`; undefined where words of commands do. Throws usage for a mistyped topic. */
export async function topicFor(
  words: readonly string[],
  nouns: readonly TopLevelCommand[],
): Promise<string | undefined> {
  const [word = '', next] = plainWords(words).map((at) => words[at]);
  if (next === undefined && Object.hasOwn(topicNames, word)) {
    const { topicPage } = await import('./topics.ts');
    return topicPage(word, await describeCommands(nouns));
  }
  const names = nouns.map(({ name }) => name);
  const close = names.includes(word) ? undefined : nearest(word, [...names, ...Object.keys(topicNames)]);
  if (close === undefined || !Object.hasOwn(topicNames, close)) return undefined;
  const mistake = close === word ? `unexpected argument "${next}": help takes one topic` : `unknown topic "${word}"`;
  throw new Problem('usage', mistake, { hint: { path: `help ${close}` } });
}
