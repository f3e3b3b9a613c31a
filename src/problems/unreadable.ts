import { Problem } from './problem.ts';

/** True when asking again would bring the same answer: not there, not allowed, not offered. */
function isUnreadable(error: unknown): boolean {
  return error instanceof Problem && [403, 404, 405, 501].includes(error.details.status ?? 0);
}

/** What was read; undefined where the service does not show it, now or later. Throws whatever else goes wrong. */
export async function unlessUnreadable<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}
