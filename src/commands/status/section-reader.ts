import { CliError } from '../../errors/cli-error.ts';

/** Time limit for reading all sections of one stack. */
export const sectionsLimitMs = 10_000;

/**
 * Returns a function that reads a section. If the read fails or `deadline` ends it, the function adds the error to
 * `errors` and returns null. Throws `interrupted` if the read was stopped before `deadline`.
 */
export function sectionReader<Name>(errors: Map<Name, CliError>, deadline?: AbortSignal) {
  return async <Value>(name: Name, read: () => Promise<Value>): Promise<Value | null> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof CliError) || (error.kind === 'interrupted' && !deadline?.aborted)) throw error;
      const timeoutError = new CliError('unavailable', `no response within ${sectionsLimitMs / 1000} s`);
      errors.set(name, deadline?.aborted ? timeoutError : error);
      return null;
    }
  };
}
