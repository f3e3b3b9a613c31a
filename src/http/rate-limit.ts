import type { HttpResponse } from '../contract/exchange.ts';
import { durationText } from '../contract/values/time.ts';
import type { RateLimit } from '../contract/watch.ts';
import { retryAfterMs, serviceTimeMs } from './retry.ts';

/** Returns the rate limit headers: `x-ratelimit-remaining 3597`. */
export function limitsIn({ headers }: HttpResponse): readonly string[] {
  const limits = Object.entries(headers).filter(([name]) => name.startsWith('x-ratelimit-'));
  return limits.map(([name, value]) => `${name} ${value}`);
}

/** The limits that a response names; undefined when it names none, null when all is well. */
interface LimitNote {
  readonly refusal?: RateLimit | null;
  readonly low?: RateLimit | null;
}

export function limitNote(response: HttpResponse, nowMs: number): LimitNote {
  const { status, headers } = response;
  const left = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  const limit = Number(headers['x-ratelimit-limit'] ?? Number.NaN);
  const low = left < limit / 10 ? { why: 'less than 10 % of the rate limit left', forMs: 0 } : null;
  const refusal = refusalIn(response, nowMs) ?? (status < 500 ? null : undefined);
  return { ...(refusal !== undefined && { refusal }), ...(!Number.isNaN(left / limit) && { low }) };
}

function refusalIn(response: HttpResponse, nowMs: number): RateLimit | undefined {
  const { status } = response;
  const forMs = status < 400 ? 0 : (retryAfterMs(response, nowMs) ?? 0);
  if (forMs > 0) return { why: `the service asks to wait ${durationText(forMs)} (${status})`, forMs };
  return status === 429 ? { why: 'the service asks for fewer requests (429)', forMs } : undefined;
}

const hourMs = 3_600_000;

/** After 3,000 requests in an hour the service refuses all others until the next full hour. */
export function hourlyLimit(response: HttpResponse, nowMs: number): RateLimit & { readonly until: string } {
  const atMs = serviceTimeMs(response, nowMs);
  const forMs = hourMs - (atMs % hourMs);
  const until = `${new Date(atMs + forMs).toISOString().slice(11, 16)} UTC`;
  return { why: `limit of 3,000 requests an hour reached until ${until} (${response.status})`, forMs, until };
}

/** More requests would queue in the service; fewer would add round trips. */
const mostAtOnce = 8;

export type RequestQueue = ReturnType<typeof createRequestQueue>;

/** Limits the requests of one run to eight at once. `elapsed` is a monotonic clock in milliseconds. */
export function createRequestQueue(elapsed: () => number) {
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
    limit: (atOnce: number): void => {
      most = Math.min(most, atOnce);
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
