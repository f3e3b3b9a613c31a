import type { SpelledNumber } from './number.ts';

/** Keyed by the object or list that holds the number, and the name of the number in it. */
const spelled = new WeakMap<object, Map<string, SpelledNumber>>();

/** Stores the JSON spelling of the number under a key, so the value stays a plain number. */
export function keepSpelling(holder: object, key: string, number: SpelledNumber): void {
  const known = spelled.get(holder) ?? new Map<string, SpelledNumber>();
  known.set(key, number);
  spelled.set(holder, known);
}

/** The JSON spelling of the number under a key; undefined when JavaScript spells it the same. */
export function spellingOf(holder: object, key: string): string | undefined {
  const known = spelled.get(holder)?.get(key);
  return known && Object.is(Reflect.get(holder, key), known.value) ? known.spelling : undefined;
}

export function hasSpellings(holder: object): boolean {
  return spelled.has(holder);
}

/** Copies the spelling along with members of an object or items of a list. */
export function copySpelling(
  from: { readonly holder: object; readonly key: string },
  to: { readonly holder: object; readonly key: string },
): void {
  const known = spelled.get(from.holder)?.get(from.key);
  if (known) keepSpelling(to.holder, to.key, known);
}
