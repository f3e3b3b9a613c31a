interface Once<T> {
  (): T;
  /** The value; undefined before the first call. */
  made(): T | undefined;
}

export function once<T>(make: () => T): Once<T> {
  let held: { readonly value: T } | undefined;
  const get = (): T => {
    held ??= { value: make() };
    return held.value;
  };
  return Object.assign(get, { made: () => held?.value });
}
