import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type FailureContext, type FailureReason, TransportFailure } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';

/** Receives the parts of one response. An error thrown here fails the exchange. */
export interface ResponseReader<Result> {
  begin(status: number, headers: IncomingHttpHeaders): boolean;
  add(chunk: Uint8Array): void;
  isFull?(): boolean;
  complete(): Result;
}

export interface ExchangeLimits {
  /** From handing over the request to the response's headers. */
  readonly headersTimeoutMs?: number;
  /** From start to end, waiting for a connection included. */
  readonly attemptTimeoutMs?: number;
  /** Longest pause before the response or between two parts of it; the time of the reader does not count. */
  readonly idleTimeoutMs?: number;
  readonly signal: AbortSignal;
  /** Only for a write: an aborted read changes nothing. */
  readonly grace?: Grace | undefined;
}

/** The time to wait for the response of a sent request after an abort. */
export interface Grace {
  /** Milliseconds, by the reason of the abort; 0 means none. */
  readonly msAfter: (reason: unknown) => number;
  readonly begun: (ms: number) => void;
  readonly cut?: AbortSignal;
}

export type DispatchRequest = Dispatcher.DispatchOptions & { readonly origin: string };

/**
 * Sends one request and reads its response. Uses undici's dispatch interface because only it reports when the request
 * is handed to a connected socket: before that nothing was sent, after that the service may have received it. Throws a
 * `TransportFailure`, or the CliError of the reader.
 */
export function exchangeOnce<Result>(
  dispatcher: Dispatcher,
  request: DispatchRequest,
  reader: ResponseReader<Result>,
  limits: ExchangeLimits,
): Promise<Result> {
  const { host } = new URL(request.origin);
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status: number | undefined;
    let over = false;
    const end = (): void => {
      over = true;
      clock.stop();
    };
    const details = () => ({ sent: controller !== undefined, status });
    const fail = (cause: unknown): void => {
      if (over) return;
      end();
      resolve(failed(cause, { ...details(), host }));
      controller?.abort(cause as Error);
    };
    const giveUp = (reason: FailureReason, message: string): void => {
      const repeats = reason === 'timeout' ? 'always' : 'never';
      fail(new TransportFailure(reason, `${host} ${message}`, { ...details(), repeats }));
    };
    // undici's own body timeout restarts with every byte.
    const clock = startClock(limits, () => controller !== undefined, giveUp);
    const unlessOver = (work: () => void): void => {
      if (over) return;
      try {
        work();
      } catch (error) {
        fail(error);
      }
    };
    const finish = (): void => {
      const result = reader.complete();
      end();
      resolve(result);
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (started) => {
        // A second start would send the request twice, and a late one would send an aborted request.
        if (over || controller) return started.abort(new Error('not started again'));
        controller = started;
        clock.awaitHeaders();
      },
      onResponseStart: (_, code, headers) =>
        unlessOver(() => {
          // Skips informational responses.
          if (code < 200) return;
          status = code;
          clock.headersCame();
          if (!reader.begin(code, headers)) finish();
        }),
      // The controller's pause is not used: undici crashes when a paused connection ends.
      onResponseData: (_, chunk) =>
        unlessOver(() => {
          reader.add(chunk);
          if (reader.isFull?.()) finish();
          if (!over) clock.partCame();
        }),
      onResponseEnd: () => unlessOver(finish),
      onResponseError: (_, error) => fail(error),
    };
    if (!limits.signal.aborted) dispatcher.dispatch(request, handler);
  });
}

async function failed(cause: unknown, context: FailureContext & { readonly host: string }): Promise<never> {
  if (cause instanceof CliError) throw cause;
  throw (await import('./failure.ts')).failureOf(cause, context);
}

function startClock(
  limits: ExchangeLimits,
  isSent: () => boolean,
  giveUp: (reason: FailureReason, message: string) => void,
) {
  const { signal, grace, headersTimeoutMs, attemptTimeoutMs, idleTimeoutMs } = limits;
  const noResponse = (ms: number): void => giveUp('timeout', `did not respond within ${ms / 1000} s`);
  const aborted = (): void => giveUp('aborted', 'did not respond before the request was aborted');
  const attempt = timer(noResponse);
  const headers = timer(noResponse);
  const idle = timer((ms) => giveUp('timeout', `sent nothing for ${ms / 1000} s`));
  const last = timer(aborted);
  const stopped = (): void => {
    const graceMs = grace && isSent() ? grace.msAfter(signal.reason) : 0;
    if (grace && graceMs > 0) {
      last.start(graceMs);
      grace.cut?.addEventListener('abort', aborted, { once: true });
      grace.begun(graceMs);
    } else aborted();
  };
  attempt.start(attemptTimeoutMs);
  idle.start(idleTimeoutMs);
  signal.addEventListener('abort', stopped, { once: true });
  if (signal.aborted) queueMicrotask(stopped);
  return {
    awaitHeaders: () => headers.start(headersTimeoutMs),
    headersCame: () => {
      headers.stop();
      idle.start(idleTimeoutMs);
    },
    partCame: () => idle.start(idleTimeoutMs),
    stop: () => {
      for (const each of [attempt, headers, idle, last]) each.stop();
      grace?.cut?.removeEventListener('abort', aborted);
      signal.removeEventListener('abort', stopped);
    },
  };
}

function timer(expired: (ms: number) => void) {
  let running: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(running);
  return {
    stop,
    /** Restarts the timer; without a limit it never expires. */
    start: (ms: number | undefined): void => {
      stop();
      if (ms !== undefined) running = setTimeout(expired, ms, ms);
    },
  };
}
