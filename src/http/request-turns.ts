import type { RateLimit } from '../contract/watch.ts';
import type { LimitNote } from './rate-limit.ts';

/** More requests would queue in the service; fewer would add round trips. */
const mostAtOnce = 8;

export type RequestTurns = ReturnType<typeof requestTurns>;

/** Limits the requests of one run to eight at once. `elapsed` is a monotonic clock in milliseconds. */
export function requestTurns(elapsed: () => number) {
  const waiting: (() => void)[] = [];
  let most = mostAtOnce;
  let refusal: RateLimit | null = null;
  let low: RateLimit | null = null;
  let untilMs = 0;
  let underWay = 0;
  const restMs = (): number => Math.max(0, untilMs - elapsed());
  const startNext = (): void => {
    if (underWay >= most) return;
    const start = waiting.shift();
    if (!start) return;
    underWay += 1;
    start();
  };
  return {
    /** Runs the work in its turn, first come, first served. */
    async run<Value>(work: () => Promise<Value>): Promise<Value> {
      await new Promise<void>((start) => {
        waiting.push(start);
        startNext();
      });
      try {
        return await work();
      } finally {
        underWay -= 1;
        startNext();
      }
    },
    /** Records a response. After a request for fewer requests they are sent one at a time. */
    noteLimit: ({ refusal: next, low: left = low }: LimitNote): void => {
      low = left;
      if (next) untilMs = elapsed() + next.forMs;
      // A success of a request sent before the refusal does not lift it.
      if (next || (next === null && restMs() === 0)) refusal = next;
      if (refusal ?? low) most = 1;
    },
    /** The limit that the last responses named, and its remaining time. */
    rateLimit: (): RateLimit | undefined => (refusal ? { why: refusal.why, forMs: restMs() } : (low ?? undefined)),
  };
}
