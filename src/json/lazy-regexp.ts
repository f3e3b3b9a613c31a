/** A pattern that is compiled on first use: with Unicode classes that takes a millisecond. */
export function lazyRegExp(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}
