import type { Slowdown } from '../contract/watch.ts';
import type { LimitNote } from './rate-limit.ts';

/** More would make a service wait for itself; fewer leave an operator waiting for the way there and back. */
const mostAtOnce = 8;

/** The requests of one run, at most eight of them under way at once. */
export interface RequestTurns {
  /** Does the work when its turn comes; turns come in the order in which they are asked for. */
  run<Value>(work: () => Promise<Value>): Promise<Value>;
  /** Takes note of a response: once it asks for fewer, requests go one at a time. */
  noteLimit(note: LimitNote): void;
  /** What the last responses that said anything asked for, and for how long from now on. */
  slowdown(): Slowdown | undefined;
}

/** `elapsed`: milliseconds, by a clock that nobody can set. */
export function requestTurns(elapsed: () => number): RequestTurns {
  const waiting: (() => void)[] = [];
  let most = mostAtOnce;
  let refusal: Slowdown | null = null;
  let low: Slowdown | null = null;
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
    async run(work) {
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
    noteLimit: ({ refusal: said, low: left = low }) => {
      low = left;
      if (said) untilMs = elapsed() + said.forMs;
      // What was under way when the service asked to wait does not call that off.
      if (said || (said === null && restMs() === 0)) refusal = said;
      if (refusal ?? low) most = 1;
    },
    slowdown: () => (refusal ? { why: refusal.why, forMs: restMs() } : (low ?? undefined)),
  };
}
