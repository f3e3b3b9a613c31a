/** The object or list that holds a number; a number alone has no place for its spelling. */
type Holder = object;

interface Spelled {
  readonly value: number | bigint;
  readonly spelling: string;
}

const spelled = new WeakMap<Holder, Map<string, Spelled>>();

/** Stores the JSON spelling of the number under a key, so that values stay plain numbers. */
export function keepSpelling(holder: Holder, key: string, number: Spelled): void {
  const known = spelled.get(holder) ?? new Map<string, Spelled>();
  known.set(key, number);
  spelled.set(holder, known);
}

/** The JSON spelling of the number under a key; undefined when JavaScript spells it the same. */
export function spellingOf(holder: Holder, key: string): string | undefined {
  const known = spelled.get(holder)?.get(key);
  return known && Object.is(Reflect.get(holder, key), known.value) ? known.spelling : undefined;
}

export function hasSpellings(holder: Holder): boolean {
  return spelled.has(holder);
}

/** Copies the spelling along with members of an object or items of a list. */
export function copySpelling(
  from: { readonly holder: Holder; readonly key: string },
  to: { readonly holder: Holder; readonly key: string },
): void {
  const known = spelled.get(from.holder)?.get(from.key);
  if (known) keepSpelling(to.holder, to.key, known);
}
