import { Problem } from './problem.ts';

/** True when a retry cannot help: not found, not allowed, not supported. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Problem && [403, 404, 405, 501].includes(error.details.status ?? 0);
}

/** The result of a read; undefined when the service does not offer or allow it. Rethrows other errors. */
export async function unlessUnreadable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
