/** Compiled on first use: a pattern with Unicode classes would cost each start a millisecond. */
export function lazyRegExp(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}
