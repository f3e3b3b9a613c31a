export interface Once<T> {
  (): T;
  /** What was made; undefined when nobody has asked for it. */
  made(): T | undefined;
}

/** Makes something when it is first asked for, and never again. */
export function once<T>(make: () => T): Once<T> {
  let held: { readonly value: T } | undefined;
  const get = (): T => {
    held ??= { value: make() };
    return held.value;
  };
  return Object.assign(get, { made: () => held?.value });
}
