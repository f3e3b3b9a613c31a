import type { Input } from '../../contract/field.ts';
import { listOf, type Noun } from '../../contract/noun.ts';
import { Problem } from '../../problems/problem.ts';

/** Throws rejected for a resource to which this cannot be done: `variant "va-active" is the active version, and …`. */
export function refuseUnfit<Row>(
  noun: Noun<Row>,
  { row, input }: { readonly row: Row; readonly input: Input },
  refuse: ((row: Row) => string | undefined) | undefined,
): void {
  const reason = refuse?.(row);
  if (reason === undefined) return;
  const message = `${noun.name} "${noun.titleOf(row)}" is ${reason}; nothing was sent`;
  throw new Problem('rejected', message, { hint: listOf(noun, input) });
}

/** Throws rejected where `readonly` blocks a write; `is_generated` alone does not. */
export function refuseReadonly(
  known: readonly ({ readonly key: string; readonly readonly?: boolean } | undefined)[],
): void {
  const locked = known.flatMap((one) => (one?.readonly ? [one.key] : []));
  if (locked.length === 0) return;
  const verb = locked.length === 1 ? 'is' : 'are';
  throw new Problem('rejected', `${locked.join(', ')} ${verb} read-only; nothing was changed`);
}
