import { CliError } from '../../errors/cli-error.ts';

/** Time for all sections of one stack, for `context.deadline`. */
export const sectionsLimitMs = 10_000;

/** Reads sections side by side: one that fails is null and its error is kept, so the others stand. `deadline` ends all reads. */
export function sectionReader<Name>(errors: Map<Name, CliError>, deadline?: AbortSignal) {
  return async <Value>(name: Name, read: () => Promise<Value>): Promise<Value | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (error.kind === 'interrupted' && !deadline?.aborted) throw error;
      const tooLate = new CliError('unavailable', `no response within ${sectionsLimitMs / 1000} s`);
      errors.set(name, deadline?.aborted ? tooLate : error);
      return null;
    }
  };
}
