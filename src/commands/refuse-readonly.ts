import { Problem } from '../problems/problem.ts';

interface Lockable {
  readonly key: string;
  readonly readonly?: boolean;
}

/** Throws rejected where `readonly` blocks a write; `is_generated` alone does not. */
export function refuseReadonly(known: readonly (Lockable | undefined)[]): void {
  const locked = known.flatMap((one) => (one?.readonly ? [one.key] : []));
  if (locked.length === 0) return;
  const them = locked.length === 1 ? 'it' : 'them';
  throw new Problem(
    'rejected',
    `${locked.join(', ')} cannot be changed: the service marks ${them} as read-only; nothing was changed`,
  );
}
