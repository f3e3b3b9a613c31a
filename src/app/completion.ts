import { firstWord } from '../cli/arguments/options.ts';
import { loadTreeAround, withoutAlias, wordsAfterHelp } from '../cli/arguments/read-line.ts';
import type { Host } from '../cli/host.ts';
import { type Offer, offerFor, offerForHelp } from '../completion/offer.ts';
import { readTyped } from '../completion/reading.ts';
import { answerFor, readTypedWords, type TypedWords } from '../completion/shells.ts';
import type { CommandNode, TopLevelCommand } from '../contract/tree.ts';

/** One second, less the time Node takes to start and the shell to show the list. */
const budgetMs = 850;

/** `stackops __complete SHELL -- …`, called at every TAB. It prints no error, because that would disturb typing. */
export async function complete(host: Host, topLevel: readonly TopLevelCommand[]): Promise<number> {
  const deadline = host.deadline(budgetMs);
  try {
    const [, shell, , ...given] = host.argv;
    const typed = readTypedWords(shell, given);
    if (typed) await host.out.data(answerFor(typed, await offerAt(typed, topLevel, host, deadline)));
  } catch {
    // An error means no candidates.
  }
  host.forceExit();
  return 0;
}

async function offerAt(
  { before, current }: TypedWords,
  topLevel: readonly TopLevelCommand[],
  host: Host,
  deadline: AbortSignal,
): Promise<Offer> {
  const given = withoutAlias(before, topLevel);
  const behind = wordsAfterHelp(given);
  const words = behind ?? given;
  const first = firstWord(words);
  const resource = topLevel.find(({ name }) => name === first);
  const reading = readTyped(withAliases(await loadTreeAround(resource, topLevel), topLevel), words, current);
  if (behind) return offerForHelp(reading);
  const offer = await offerFor(reading);
  if (!offer.names) return offer;
  const { namesFor } = await import('./completion-names.ts');
  const found = await namesFor({ ...offer, names: offer.names }, reading, host, deadline).catch(() => []);
  const isPath = offer.names === 'server path' && !found.some(({ value }) => value.startsWith(offer.text));
  return { ...offer, ...(isPath && { kind: 'files' }), candidates: [...offer.candidates, ...found] };
}

function withAliases(tree: CommandNode, topLevel: readonly TopLevelCommand[]): CommandNode {
  // The commands below an alias are not needed: a typed alias is already replaced by its words.
  const named = topLevel.flatMap(({ aliases = {}, groups = {} }) =>
    Object.entries(aliases).map(([name, path]): [string, CommandNode] => [
      name,
      { name, about: groups[path] ?? '', children: new Map() },
    ]),
  );
  return { ...tree, children: new Map([...tree.children, ...named]) };
}
