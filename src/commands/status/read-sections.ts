import { CliError } from '../../errors/cli-error.ts';

/** Time limit for reading all sections of one stack. */
export const sectionsLimitMs = 10_000;

/**
 * Reads sections in parallel. Returns the values of the sections that were read, and the errors of the others, which
 * failed or were ended by `deadline`. Throws `interrupted` if a read was stopped before `deadline`.
 */
export async function readSections<Name, Value>(
  names: readonly Name[],
  read: (name: Name) => Promise<Value>,
  deadline?: AbortSignal,
) {
  const values = new Map<Name, Value>();
  const errors = new Map<Name, CliError>();
  const readOne = async (name: Name) => {
    try {
      values.set(name, await read(name));
    } catch (error) {
      if (!(error instanceof CliError) || (error.kind === 'interrupted' && !deadline?.aborted)) throw error;
      const timeoutError = new CliError('unavailable', `no response within ${sectionsLimitMs / 1000} s`);
      errors.set(name, deadline?.aborted ? timeoutError : error);
    }
  };
  await Promise.all(names.map(readOne));
  return { values, errors };
}
