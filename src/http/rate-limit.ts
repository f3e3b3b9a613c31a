import type { HttpResponse } from '../contract/exchange.ts';
import { durationText } from '../contract/values/time.ts';
import type { RateLimit } from '../contract/watch.ts';
import { retryAfterMs, serviceTimeMs } from './retry.ts';

/** Returns each rate limit header of a response as text: `x-ratelimit-remaining 3597`. */
export function limitHeaderTexts({ headers }: HttpResponse): readonly string[] {
  const headerTexts = Object.entries(headers).map(([name, value]) => `${name} ${value}`);
  return headerTexts.filter((text) => text.startsWith('x-ratelimit-'));
}

/** The rate limits that a response shows. A field is null if that limit does not apply, undefined if unknown. */
interface LimitNote {
  readonly refusal?: RateLimit | null;
  readonly lowLimit?: RateLimit | null;
}

export function readLimitNote(response: HttpResponse, nowMs: number): LimitNote {
  const { status, headers } = response;
  const requestsLeft = Number(headers['x-ratelimit-remaining'] ?? Number.NaN);
  const limit = Number(headers['x-ratelimit-limit'] ?? Number.NaN);
  const lowLimit = requestsLeft < limit / 10 ? { why: 'less than 10 % of the rate limit left', forMs: 0 } : null;
  const refusal = findRefusal(response, nowMs) ?? (status < 500 ? null : undefined);
  return { ...(refusal !== undefined && { refusal }), ...(!Number.isNaN(requestsLeft / limit) && { lowLimit }) };
}

function findRefusal(response: HttpResponse, nowMs: number): RateLimit | undefined {
  const { status } = response;
  const forMs = status < 400 ? 0 : (retryAfterMs(response, nowMs) ?? 0);
  if (forMs > 0) return { why: `the service asks to wait ${durationText(forMs)} (${status})`, forMs };
  return status === 429 ? { why: 'the service asks for fewer requests (429)', forMs } : undefined;
}

const hourMs = 3_600_000;

/** Returns the limit for a client that sent 3,000 requests in this hour: a refusal of more until the next full hour. */
export function hourlyLimit(response: HttpResponse, nowMs: number): RateLimit & { readonly until: string } {
  const serviceNowMs = serviceTimeMs(response, nowMs);
  const forMs = hourMs - (serviceNowMs % hourMs);
  const until = `${new Date(serviceNowMs + forMs).toISOString().slice(11, 16)} UTC`;
  return { why: `limit of 3,000 requests an hour reached until ${until} (${response.status})`, forMs, until };
}

/** Maximum number of requests at once. With more, they would queue in the service. With fewer, a run takes longer. */
const maxRequests = 8;

export type RequestQueue = ReturnType<typeof createRequestQueue>;

/** Creates a queue that runs at most eight requests at once. `elapsed` is a monotonic clock in milliseconds. */
export function createRequestQueue(elapsed: () => number) {
  const waitingStarts: (() => void)[] = [];
  let allowedRequestCount = maxRequests;
  let refusal: RateLimit | null = null;
  let lowLimit: RateLimit | null = null;
  let waitUntilMs = 0;
  let runningRequestCount = 0;
  const remainingWaitMs = (): number => Math.max(0, waitUntilMs - elapsed());
  const startNext = (): void => {
    if (runningRequestCount >= allowedRequestCount || waitingStarts.length === 0) return;
    runningRequestCount += 1;
    waitingStarts.shift()?.();
  };
  return {
    /** Runs `work` as soon as fewer than the allowed number of requests run, in the order of the calls. */
    async run<Value>(work: () => Promise<Value>): Promise<Value> {
      await new Promise<void>((start) => {
        waitingStarts.push(start);
        startNext();
      });
      try {
        return await work();
      } finally {
        runningRequestCount -= 1;
        startNext();
      }
    },
    limit: (max: number): void => {
      allowedRequestCount = Math.min(allowedRequestCount, max);
    },
    /** Records the limits of a response. After a refusal, or with a low limit, requests are sent one at a time. */
    noteLimit: ({ refusal: newRefusal, lowLimit: newLowLimit = lowLimit }: LimitNote): void => {
      lowLimit = newLowLimit;
      if (newRefusal) waitUntilMs = elapsed() + newRefusal.forMs;
      // A success before the end of the wait belongs to a request sent before the refusal, so the refusal stays.
      if (newRefusal || (newRefusal === null && remainingWaitMs() === 0)) refusal = newRefusal;
      if (refusal ?? lowLimit) allowedRequestCount = 1;
    },
    /** Returns the recorded refusal with its remaining time, or else the recorded low limit; undefined if neither. */
    rateLimit: (): RateLimit | undefined =>
      refusal ? { why: refusal.why, forMs: remainingWaitMs() } : (lowLimit ?? undefined),
  };
}
