export interface TimeLimit {
  /** Aborted with the given signal, for its reason, or when the time is up. */
  readonly signal: AbortSignal;
  /** To be called when the work is done. */
  clear(): void;
}

/**
 * Work that ends with a signal or after a time. AbortSignal.any would say it in a word, but Node 20 may collect the
 * signal of AbortSignal.timeout while only a combined one refers to it, and then the time is never up.
 */
export function timeLimit(signal: AbortSignal, ms: number): TimeLimit {
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
