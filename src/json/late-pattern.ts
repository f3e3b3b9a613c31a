/**
 * A pattern with Unicode classes, made when first used. As a literal, or made at load, each class costs a millisecond
 * or two of every start, and most runs print nothing but ASCII.
 */
export function latePattern(source: string, flags: string): () => RegExp {
  let pattern: RegExp | undefined;
  return () => {
    pattern ??= new RegExp(source, flags);
    return pattern;
  };
}
