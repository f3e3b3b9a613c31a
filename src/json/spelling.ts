/** The object or list that holds a number; a number alone has no place to keep its spelling. */
type Holder = object;

interface Spelled {
  readonly value: number | bigint;
  readonly spelling: string;
}

const spelled = new WeakMap<Holder, Map<string, Spelled>>();

/** Keeps how JSON spelled the number under a key: values stay plain numbers for everybody else. */
export function keepSpelling(holder: Holder, key: string, number: Spelled): void {
  const known = spelled.get(holder) ?? new Map<string, Spelled>();
  known.set(key, number);
  spelled.set(holder, known);
}

/** How JSON spelled the number that still stands under a key; undefined when it is spelled as JavaScript would. */
export function spellingOf(holder: Holder, key: string): string | undefined {
  const known = spelled.get(holder)?.get(key);
  return known && Object.is(Reflect.get(holder, key), known.value) ? known.spelling : undefined;
}

export function hasSpellings(holder: Holder): boolean {
  return spelled.has(holder);
}

/** A copy of some members of an object, or of an item under another key, spells its numbers alike. */
export function copySpelling(
  from: { readonly holder: Holder; readonly key: string },
  to: { readonly holder: Holder; readonly key: string },
): void {
  const known = spelled.get(from.holder)?.get(from.key);
  if (known) keepSpelling(to.holder, to.key, known);
}
