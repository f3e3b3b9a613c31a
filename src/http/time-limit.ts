/**
 * Combines a signal with a timeout; call `clear` when the work is done. AbortSignal.any would do, but Node 20 may
 * collect the signal of AbortSignal.timeout while only the combined signal refers to it; then it never fires.
 */
export function timeLimit(signal: AbortSignal, ms: number) {
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
