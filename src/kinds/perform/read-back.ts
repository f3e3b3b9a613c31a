import type { Context } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';

/**
 * Reads what a change led to; undefined where that cannot be read, or after Ctrl-C: the change was made all the same,
 * and its result is to be shown.
 */
export async function readBack<Value>(
  context: Context,
  read: () => Promise<Value>,
  what = 'the new state',
): Promise<Value | undefined> {
  if (context.dryRun) return undefined;
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    context.warn(`the change was made, but ${what} could not be read: ${error.message}`);
    return undefined;
  }
}
