import type { Options } from './cli/options.ts';
import { firstWord } from './cli/options.ts';
import { growAround } from './cli/stackops.ts';
import type { Noun, OutStream, Session } from './cli/world.ts';
import { answerFor } from './completion/answer.ts';
import type { Candidate, Name } from './completion/candidate.ts';
import type { Connection } from './completion/look-up.ts';
import type { NameCache } from './completion/name-cache.ts';
import { type Offer, offerFor } from './completion/offer.ts';
import { type Reading, readTyped } from './completion/reading.ts';
import { readTypedWords, type TypedWords } from './completion/typed-words.ts';
import type { Names } from './contract/field.ts';
import type { CommandNode } from './contract/tree.ts';
import type { Host } from './host.ts';
import type { OpenSession } from './session.ts';

/** What is left of a second when Node has started and the shell still has to show what there is. */
const budgetMs = 850;

/**
 * `stackops __complete SHELL -- …`, which the scripts of `stackops completion` call at every TAB. Whatever goes wrong,
 * it says nothing: somebody is in the middle of typing.
 */
export async function complete(host: Host, nouns: readonly Noun[]): Promise<number> {
  const deadline = AbortSignal.timeout(budgetMs);
  try {
    const [, shell, , ...given] = host.argv;
    const typed = readTypedWords(shell, given);
    if (typed) await host.out.write(answerFor(typed, await offerAt(typed, nouns, { host, deadline })));
  } catch {
    // Nothing is offered.
  }
  host.leave?.();
  return 0;
}

interface Circumstances {
  readonly host: Host;
  readonly deadline: AbortSignal;
}

async function offerAt(typed: TypedWords, nouns: readonly Noun[], circumstances: Circumstances): Promise<Offer> {
  const isHelp = typed.before[0] === 'help';
  const before = isHelp ? typed.before.slice(1) : typed.before;
  const word = firstWord(before);
  const tree = await growAround(
    nouns.find(({ name }) => name === word),
    nouns,
  );
  const reading = readTyped(isHelp ? withTopics(tree, before) : tree, before, typed.current);
  if (isHelp) return helpOffer(reading, typed.current);
  const offer = await offerFor(reading);
  if (!offer.names) return offer;
  const found = await namesFor(offer.names, reading, circumstances).catch(() => []);
  return { ...offer, candidates: [...offer.candidates, ...found] };
}
