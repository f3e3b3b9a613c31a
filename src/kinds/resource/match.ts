import type { Input } from '../../contract/field.ts';
import { listOf, type Noun } from '../../contract/noun.ts';
import { matchesPattern } from '../../contract/values/pattern.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';

/**
 * The rows whose names match, in the order of the list; `input` says where they lie. Throws not_found with similar names. For
 * reads only.
 */
export function matchAmong<Row>(
  noun: Noun<Row>,
  rows: readonly Row[],
  { pattern, input, nameOf = noun.titleOf }: { pattern: string; input: Input; nameOf?: (row: Row) => string },
): readonly Row[] {
  const found = rows.filter((row) => matchesPattern(nameOf(row), pattern));
  if (found.length > 0) return found;
  const similar = similarNames(pattern, rows.map(nameOf));
  const guess = similar.length > 0 ? `; similar names: ${similar.join(', ')}` : '';
  throw new Problem('not_found', `no ${noun.name} matches "${pattern}"${guess}`, { hint: listOf(noun, input) });
}

/** At most three names that begin or end nearly as the pattern does. */
function similarNames(pattern: string, names: readonly string[]): readonly string[] {
  const literal = pattern.replace(/[*?]/g, '');
  if (literal === '') return [];
  const isSimilar = (name: string) =>
    nearest(literal, [name, name.slice(0, literal.length), name.slice(-literal.length)]) !== undefined;
  return [...new Set(names.filter(isSimilar))].slice(0, 3);
}
