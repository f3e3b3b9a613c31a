import type { HttpResponse, TransportFailure } from '../contract/exchange.ts';

const minDelayMs = 100;
const maxDelayMs = 8_000;
const baseDelayMs = 500;
const longestRetryAfterMs = 60_000;
const repeatableStatuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

export interface RetryState {
  readonly writes: boolean;
  /** Attempts made so far, at least 1. */
  readonly attempts: number;
  readonly retries: number;
  /** The caller reads again soon, so only a Retry-After is waited for. */
  readonly isPolled?: boolean;
  readonly remainingMs: number;
  readonly nowMs: number;
  readonly random: () => number;
}

/** Returns the milliseconds before a retry; undefined for no retry. A write is retried only if it was not sent. */
export function delayAfterFailure(failure: TransportFailure, state: RetryState): number | undefined {
  if (state.isPolled || (state.writes && failure.sent)) return undefined;
  const allowed = { never: 0, once: 1, always: state.retries }[failure.repeats];
  return state.attempts <= Math.min(allowed, state.retries) ? backoff(state) : undefined;
}

/** Returns the milliseconds before a retry: for reads after temporary errors, for writes only after 429. */
export function delayAfterResponse(response: HttpResponse, state: RetryState): number | undefined {
  const repeatable = state.writes ? response.status === 429 : repeatableStatuses.has(response.status);
  if (!repeatable || state.attempts > state.retries) return undefined;
  const requestedMs = retryAfterMs(response, state.nowMs);
  if (!requestedMs) return state.isPolled ? undefined : backoff(state);
  if (requestedMs > longestRetryAfterMs || requestedMs > state.remainingMs) return undefined;
  return Math.min(requestedMs * (1 + state.random() / 10), state.remainingMs);
}

/** A read is retried once when its response without a length ended too early to be JSON. */
export function delayAfterCut(state: RetryState): number | undefined {
  const first = state.attempts === 1 && state.retries > 0 && !state.isPolled;
  return first && !state.writes ? backoff(state) : undefined;
}

/**
 * Returns Retry-After in milliseconds, from whole seconds or an HTTP date measured against the response's own clock.
 * Undefined when absent or malformed: `Date` parses "-5" and "1.5" as dates.
 */
export function retryAfterMs(response: HttpResponse, nowMs: number): number | undefined {
  const header = response.headers['retry-after']?.trim() ?? '';
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const untilMs = httpDateMs(header);
  if (untilMs === undefined) return undefined;
  return Math.max(0, untilMs - serviceTimeMs(response, nowMs));
}

/** The time of the response: its `date` header, else the clock of this machine. */
export function serviceTimeMs({ headers }: HttpResponse, nowMs: number): number {
  return httpDateMs(headers['date']?.trim() ?? '') ?? nowMs;
}

function httpDateMs(text: string): number | undefined {
  const days = '(Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
  const months = '(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
  if (!new RegExp(`^${days}, \\d{2} ${months} \\d{4} \\d{2}:\\d{2}:\\d{2} GMT$`).test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

function backoff({ attempts, random, remainingMs }: RetryState): number | undefined {
  const ceilingMs = Math.min(maxDelayMs, baseDelayMs * 2 ** attempts);
  const delayMs = minDelayMs + random() * (ceilingMs - minDelayMs);
  // Undefined when the remaining time is too short.
  return delayMs < remainingMs ? delayMs : undefined;
}

/**
 * Combines a signal with a timeout; call `clear` when the work is done. AbortSignal.any would do, but Node 20 may
 * collect the signal of AbortSignal.timeout while only the combined signal refers to it; then it never fires.
 */
export function startTimeLimit(signal: AbortSignal, ms: number) {
  const controller = new AbortController();
  const stop = (): void => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('the time is up', 'TimeoutError')), ms);
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  return {
    signal: controller.signal,
    clear: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    },
  };
}
