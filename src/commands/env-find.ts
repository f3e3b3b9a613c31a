import { nearest } from '../problems/nearest.ts';
import { Problem } from '../problems/problem.ts';
import type { Variable } from '../resources/env.ts';

/** The variable of this name; throws not_found. */
export function findVariable(
  known: readonly Variable[],
  { key, stack_id }: { readonly key: string; readonly stack_id: string },
): Variable {
  const found = known.find((variable) => variable.key === key);
  if (found) return found;
  const close = nearest(
    key,
    known.map((variable) => variable.key),
  );
  const message = `no environment variable is called "${key}"${close ? `; did you mean "${close}"?` : ''}`;
  throw new Problem('not_found', message, { hint: `stackops stack env list -s ${stack_id}` });
}

/** `readonly` is what blocks a write, `is_generated` alone does not (beyond-the-document 1.1). */
export function refuseReadonly(variables: readonly (Variable | undefined)[]): void {
  const locked = variables.filter((variable) => variable?.readonly).map((variable) => variable?.key);
  if (locked.length === 0) return;
  throw new Problem(
    'rejected',
    `${locked.join(', ')} cannot be changed: the service marks ${locked.length === 1 ? 'it' : 'them'} as read-only; nothing was changed`,
  );
}
