import { Problem } from '../problems/problem.ts';

/** Reads one section. */
type ReadSection<Name> = <Value>(name: Name, read: () => Promise<Value>) => Promise<Value | null>;

/** Time for all sections of one stack, for `context.deadline`. */
export const sectionsLimitMs = 10_000;

/** Reads sections side by side: one that fails is null and its error is kept, so the others stand. `deadline` ends all reads. */
export function sectionReader<Name>(errors: Map<Name, Problem>, deadline?: AbortSignal): ReadSection<Name> {
  return async (name, read) => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.kind === 'interrupted' && !deadline?.aborted) throw error;
      errors.set(
        name,
        deadline?.aborted ? new Problem('unavailable', `no response within ${sectionsLimitMs / 1000} s`) : error,
      );
      return null;
    }
  };
}
