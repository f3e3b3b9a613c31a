import { firstWord } from '../cli/arguments/options.ts';
import { loadTreeAround, withoutAlias, wordsAfterHelp } from '../cli/arguments/read-line.ts';
import type { Host } from '../cli/host.ts';
import { type Offer, offerFor, offerForHelp } from '../completion/offer.ts';
import { readTypedLine } from '../completion/reading.ts';
import { answerFor, readTypedWords, type TypedWords } from '../completion/shells.ts';
import type { CommandNode, TopLevelCommand } from '../contract/tree.ts';

/** Time limit of a completion in milliseconds: one second, less the time to start Node and to show the list. */
const budgetMs = 850;

/** Runs `stackops __complete SHELL -- …`, which shells call at every TAB. Prints no error: it would disturb typing. */
export async function complete(host: Host, topLevel: readonly TopLevelCommand[]): Promise<number> {
  const deadline = host.deadline(budgetMs);
  try {
    const [, shell, , ...words] = host.argv;
    const typedWords = readTypedWords(shell, words);
    if (typedWords)
      await host.out.data(answerFor(typedWords, await offerAtCursor(typedWords, topLevel, host, deadline)));
  } catch {
    // An error means no candidates.
  }
  host.forceExit();
  return 0;
}

async function offerAtCursor(
  { before, currentWord }: TypedWords,
  topLevel: readonly TopLevelCommand[],
  host: Host,
  deadline: AbortSignal,
): Promise<Offer> {
  const expandedWords = withoutAlias(before, topLevel);
  const helpWords = wordsAfterHelp(expandedWords);
  const words = helpWords ?? expandedWords;
  const topLevelName = firstWord(words);
  const topLevelCommand = topLevel.find(({ name }) => name === topLevelName);
  const tree = withAliases(await loadTreeAround(topLevelCommand, topLevel), topLevel);
  const typedLine = readTypedLine(tree, words, currentWord);
  if (helpWords) return offerForHelp(typedLine);
  const offer = await offerFor(typedLine);
  if (!offer.nameKind) return offer;
  const { findNames } = await import('./completion-names.ts');
  const names = await findNames({ ...offer, nameKind: offer.nameKind }, typedLine, host, deadline).catch(() => []);
  const isLocalPath = offer.nameKind === 'server path' && !names.some(({ value }) => value.startsWith(offer.text));
  return { ...offer, ...(isLocalPath && { kind: 'files' }), candidates: [...offer.candidates, ...names] };
}

function withAliases(tree: CommandNode, topLevel: readonly TopLevelCommand[]): CommandNode {
  // The node of an alias needs no commands below it: a typed alias is already replaced by the group it stands for.
  const children = new Map(tree.children);
  for (const { aliases = {}, groups = {} } of topLevel) {
    for (const [name, path] of Object.entries(aliases))
      children.set(name, { name, about: groups[path] ?? '', children: new Map() });
  }
  return { ...tree, children };
}
