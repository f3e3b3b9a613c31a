import { Problem } from '../../problems/problem.ts';
import { partialMessage } from './partial-message.ts';

/**
 * Does several things one after the other and stops at the first failure. With nothing done before it the failure
 * stands as it is; otherwise the run failed in part: exit 1, and what was done is the result.
 */
export async function eachInTurn<Item, Done>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  act: (item: Item) => Promise<Done>,
): Promise<readonly Done[]> {
  const done: Done[] = [];
  for (const item of items) {
    try {
      done.push(await act(item));
    } catch (error) {
      if (done.length === 0 || !(error instanceof Problem)) throw error;
      const names = items.map(nameOf);
      const message = partialMessage({
        failures: [`${nameOf(item)} failed: ${error.message}`],
        succeeded: new Map([['', names.slice(0, done.length)]]),
        notTried: names.slice(done.length + 1),
      });
      throw new Problem(error.kind, message, { ...error.details, exitCode: 1, partial: { value: done } });
    }
  }
  return done;
}
