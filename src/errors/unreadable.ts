import { CliError } from './cli-error.ts';

/** Returns the result of `work`, or the CliError that it throws. */
export function attempt<Value>(work: () => Value): Value | CliError {
  try {
    return work();
  } catch (error) {
    return expectCliError(error);
  }
}

/** For `.catch`: returns a CliError and rethrows any other error. */
export function expectCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** Returns undefined when the service does not offer or allow the read. Rethrows other errors. */
export async function readOrUndefined<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    // Not found, not allowed or not supported: a retry would not help.
    if (error instanceof CliError && [403, 404, 405, 501].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

/** Returns undefined once the signal is aborted; the work continues unobserved. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const done = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: done.signal });
  });
  return Promise.race([aborted, work]).finally(() => done.abort());
}
