import type { HttpResponse, TransportFailure } from '../contract/exchange.ts';

const minDelayMs = 100;
const maxDelayMs = 8_000;
const baseDelayMs = 500;
const maxRetryAfterMs = 60_000;
const repeatableStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface RetryState {
  readonly writes: boolean;
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  readonly maxRetries: number;
  /** True if the caller reads again soon anyway, so a retry is made only after a response with Retry-After. */
  readonly isPolled?: boolean;
  readonly remainingMs: number;
  readonly nowMs: number;
  readonly random: () => number;
}

/** Returns the milliseconds before a retry; undefined for no retry. A write is retried only if it was not sent. */
export function delayAfterFailure(failure: TransportFailure, state: RetryState): number | undefined {
  if (state.isPolled || (state.writes && failure.sent)) return undefined;
  const allowedRetries = { never: 0, once: 1, always: state.maxRetries }[failure.repeats];
  return state.attempts <= Math.min(allowedRetries, state.maxRetries) ? backoffMs(state) : undefined;
}

/** Returns the milliseconds before a retry; undefined for no retry. A write is retried only after 429. */
export function delayAfterResponse(response: HttpResponse, state: RetryState): number | undefined {
  const isRepeatable = state.writes ? response.status === 429 : repeatableStatuses.has(response.status);
  if (!isRepeatable || state.attempts > state.maxRetries) return undefined;
  const requestedMs = retryAfterMs(response, state.nowMs);
  if (!requestedMs) return state.isPolled ? undefined : backoffMs(state);
  if (requestedMs > maxRetryAfterMs || requestedMs > state.remainingMs) return undefined;
  return Math.min(requestedMs * (1 + state.random() / 10), state.remainingMs);
}

/** Returns the milliseconds before the only retry of a read whose response was cut off; undefined for no retry. */
export function delayAfterCut(state: RetryState): number | undefined {
  const canRetryOnce = state.attempts === 1 && state.maxRetries > 0 && !state.isPolled;
  return canRetryOnce && !state.writes ? backoffMs(state) : undefined;
}

/** Reads Retry-After: whole seconds or an HTTP date. Undefined for "-5" or "1.5", which `Date` would accept. */
export function retryAfterMs(response: HttpResponse, nowMs: number): number | undefined {
  const header = response.headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const untilMs = httpDateMs(header);
  if (untilMs === undefined) return undefined;
  return Math.max(0, untilMs - serviceTimeMs(response, nowMs));
}

/** Returns the time of a response: its `date` header, or `nowMs` without a valid header. */
export function serviceTimeMs({ headers }: HttpResponse, nowMs: number): number {
  return httpDateMs(headers['date']?.trim() ?? '') ?? nowMs;
}

const httpDatePattern =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

function httpDateMs(text: string): number | undefined {
  const ms = httpDatePattern.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

function backoffMs({ attempts, random, remainingMs }: RetryState): number | undefined {
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** attempts);
  const delayMs = minDelayMs + random() * (ceilingMs - minDelayMs);
  return delayMs < remainingMs ? delayMs : undefined;
}

/**
 * Returns a signal that is aborted with `signal` or after `ms`. Call `clear` when the work is done. `AbortSignal.any`
 * is not used: if only its result refers to a signal of `AbortSignal.timeout`, Node 20 may collect that signal as
 * garbage, so that the timeout never comes.
 */
export function startTimeLimit(signal: AbortSignal, ms: number) {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('the time is up', 'TimeoutError')), ms);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
