import type { RateLimit } from '../contract/watch.ts';
import type { LimitNote } from './rate-limit.ts';

/** More would make a service wait for itself; fewer leave an operator waiting for the way there and back. */
const mostAtOnce = 8;

export type RequestTurns = ReturnType<typeof requestTurns>;

/** The requests of one run, at most eight of them under way at once. `elapsed`: milliseconds, by a clock that nobody can set. */
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
    /** Does the work when its turn comes; turns come in the order in which they are asked for. */
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
    /** Takes note of a response: once it asks for fewer, requests go one at a time. */
    noteLimit: ({ refusal: said, low: left = low }: LimitNote): void => {
      low = left;
      if (said) untilMs = elapsed() + said.forMs;
      // What was under way when the service asked to wait does not call that off.
      if (said || (said === null && restMs() === 0)) refusal = said;
      if (refusal ?? low) most = 1;
    },
    /** What the last responses that said anything asked for, and for how long from now on. */
    rateLimit: (): RateLimit | undefined => (refusal ? { why: refusal.why, forMs: restMs() } : (low ?? undefined)),
  };
}
