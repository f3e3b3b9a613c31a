import { findNamed } from '../../kinds/find-named.ts';
import type { Variable } from '../../resources/env.ts';

/** The variable of this name; throws not_found. */
export function findVariable(
  known: readonly Variable[],
  { key: word, stack_id }: { readonly key: string; readonly stack_id: string },
): Variable {
  const keyOf = ({ key }: Variable) => key;
  const lister = { path: 'stack env list', stack_id };
  return findNamed(known, word, { kind: 'environment variable', idOf: keyOf, nameOf: keyOf, lister });
}
