/**
 * A pattern with Unicode classes, compiled on first use. Compiling each at load would add one or two milliseconds to
 * every start, and most runs print only ASCII.
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}
