import { CliError } from './cli-error.ts';

/** What some work returns, or the Problem that it throws. */
export function attempt<Value>(work: () => Value): Value | CliError {
  try {
    return work();
  } catch (error) {
    return expectCliError(error);
  }
}

/** What was thrown, for `.catch`; throws again what is no Problem. */
export function expectCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** The result of a read; undefined when the service does not offer or allow it. Rethrows other errors. */
export async function readOrUndefined<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    // Not found, not allowed, not supported: another try would not help.
    if (error instanceof CliError && [403, 404, 405, 501].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

/** The result of some work; undefined once the signal is aborted. What comes of it then is ignored. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const done = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: done.signal });
  });
  return Promise.race([aborted, work]).finally(() => done.abort());
}
