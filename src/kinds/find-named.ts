import type { CommandLine } from '../contract/command-line.ts';
import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';

/** How the things of one kind are told apart. */
export interface Naming<Item> {
  /** `gateway`. */
  readonly kind: string;
  readonly idOf: (item: Item) => string;
  readonly nameOf: (item: Item) => string;
  /** The command that shows what there is. */
  readonly lister: CommandLine;
}

/** The thing of this id, else of this exact name; throws not_found with the nearest name, ambiguous with all ids. */
export function findNamed<Item>(known: readonly Item[], word: string, naming: Naming<Item>): Item {
  const { kind, idOf, nameOf, lister } = naming;
  const byId = known.find((item) => idOf(item) === word);
  if (byId) return byId;
  const found = known.filter((item) => nameOf(item) === word);
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first) {
    const message = `${found.length} ${kind}s are called "${word}": ${found.map(idOf).join(', ')}`;
    // Not the command with one of them: nobody shall paste a choice that we have made.
    throw new Problem('ambiguous', message, { hint: lister });
  }
  const close = nearest(word, known.map(nameOf));
  const message = `no ${kind} is called "${word}"${close ? `; did you mean "${close}"?` : ''}`;
  throw new Problem('not_found', message, { hint: lister });
}
