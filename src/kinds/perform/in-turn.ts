import { Problem } from '../../problems/problem.ts';

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
      throw partly(error, { done, failed: nameOf(item), left: items.slice(done.length + 1).map(nameOf) });
    }
  }
  return done;
}

interface Part {
  readonly done: readonly unknown[];
  readonly failed: string;
  readonly left: readonly string[];
}

function partly(cause: Problem, { done, failed, left }: Part): Problem {
  const rest = left.length > 0 ? `; not tried: ${left.join(', ')}` : '';
  return new Problem(cause.kind, `${failed} failed after ${done.length} went through: ${cause.message}${rest}`, {
    ...cause.details,
    exitCode: 1,
    partial: { value: done },
  });
}
