import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { type FailureReason, TransportFailure } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { FailureAtHost } from './failure.ts';

/** Receives the parts of one response. `begin` returns false to skip the body. A thrown error ends the exchange. */
export interface ResponseReader<Result> {
  begin(status: number, headers: IncomingHttpHeaders): boolean;
  add(chunk: Uint8Array): void;
  isFull?(): boolean;
  complete(): Result;
}

export interface ExchangeLimits {
  /** Maximum time from the start of the request to the headers of the response. */
  readonly headersTimeoutMs?: number;
  /** Maximum time of the whole exchange, including the wait for a connection. */
  readonly attemptTimeoutMs?: number;
  /** Maximum pause before the response or between two of its parts. Time that `ResponseReader` takes does not count. */
  readonly idleTimeoutMs?: number;
  readonly signal: AbortSignal;
  /** The wait after an abort; undefined for a read, which an abort ends at once because a read changes nothing. */
  readonly grace?: Grace | undefined;
}

/** How long to wait, after an abort, for the response to a request that was sent. */
export interface Grace {
  /** Returns the milliseconds to wait, given the reason of the abort; 0 for no wait. */
  readonly waitMsAfter: (reason: unknown) => number;
  readonly onWaitBegin: (ms: number) => void;
  readonly cutSignal?: AbortSignal;
}

export type UndiciRequest = Dispatcher.DispatchOptions & { readonly origin: string };

/**
 * Sends one request by undici's dispatch interface, because only that reports when the request is handed to a connected
 * socket: before, nothing was sent. Throws a `TransportFailure`, or the CliError that the reader throws.
 */
export function exchangeOnce<Result>(
  dispatcher: Dispatcher,
  request: UndiciRequest,
  reader: ResponseReader<Result>,
  limits: ExchangeLimits,
): Promise<Result> {
  const { host } = new URL(request.origin);
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status: number | undefined;
    let isOver = false;
    const settle = (result: Result | Promise<Result>): void => {
      isOver = true;
      timers.stop();
      resolve(result);
    };
    const makeFailureContext = () => ({ sent: controller !== undefined, status });
    const fail = (cause: unknown): void => {
      if (isOver) return;
      settle(throwFailure(cause, { ...makeFailureContext(), host }));
      controller?.abort(cause as Error);
    };
    const giveUp: GiveUp = (reason, message) => {
      const repeats = reason === 'timeout' ? 'always' : 'never';
      fail(new TransportFailure(reason, `${host} ${message}`, { ...makeFailureContext(), repeats }));
    };
    // We use timers of our own, because undici's timeout for the body restarts with every byte.
    const timers = startTimers(limits, () => controller !== undefined, giveUp);
    const unlessOver = (work: () => void): void => {
      if (isOver) return;
      try {
        work();
      } catch (error) {
        fail(error);
      }
    };
    const finish = (): void => settle(reader.complete());
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (newController) => {
        // A second start would send the request twice, and a start after the end would send an aborted request.
        if (isOver || controller) return newController.abort(new Error('not started again'));
        controller = newController;
        timers.awaitHeaders();
      },
      onResponseStart: (_, statusCode, headers) =>
        unlessOver(() => {
          // A status below 200 is informational: the real response follows.
          if (statusCode < 200) return;
          status = statusCode;
          timers.headersCame();
          if (!reader.begin(statusCode, headers)) finish();
        }),
      // The controller is never paused, because undici crashes if a paused connection ends.
      onResponseData: (_, chunk) =>
        unlessOver(() => {
          reader.add(chunk);
          if (reader.isFull?.()) finish();
          if (!isOver) timers.partCame();
        }),
      onResponseEnd: () => unlessOver(finish),
      onResponseError: (_, error) => fail(error),
    };
    if (!limits.signal.aborted) dispatcher.dispatch(request, handler);
  });
}

async function throwFailure(cause: unknown, context: FailureAtHost): Promise<never> {
  if (cause instanceof CliError) throw cause;
  throw (await import('./failure.ts')).failureOf(cause, context);
}

type GiveUp = (reason: FailureReason, message: string) => void;

function startTimers(limits: ExchangeLimits, isSent: () => boolean, giveUp: GiveUp) {
  const { signal, grace, headersTimeoutMs, attemptTimeoutMs, idleTimeoutMs } = limits;
  const giveUpOnTimeout = (ms: number): void => giveUp('timeout', `did not respond within ${ms / 1000} s`);
  const giveUpOnAbort = (): void => giveUp('aborted', 'did not respond before the request was aborted');
  const attemptTimer = createTimer(giveUpOnTimeout);
  const headersTimer = createTimer(giveUpOnTimeout);
  const idleTimer = createTimer((ms) => giveUp('timeout', `sent nothing for ${ms / 1000} s`));
  const graceTimer = createTimer(giveUpOnAbort);
  const onAbort = (): void => {
    const graceMs = grace && isSent() ? grace.waitMsAfter(signal.reason) : 0;
    if (grace && graceMs > 0) {
      graceTimer.start(graceMs);
      grace.cutSignal?.addEventListener('abort', giveUpOnAbort, { once: true });
      grace.onWaitBegin(graceMs);
    } else giveUpOnAbort();
  };
  attemptTimer.start(attemptTimeoutMs);
  idleTimer.start(idleTimeoutMs);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) queueMicrotask(onAbort);
  return {
    awaitHeaders: () => headersTimer.start(headersTimeoutMs),
    headersCame: () => {
      headersTimer.stop();
      idleTimer.start(idleTimeoutMs);
    },
    partCame: () => idleTimer.start(idleTimeoutMs),
    stop: () => {
      for (const timer of [attemptTimer, headersTimer, idleTimer, graceTimer]) timer.stop();
      grace?.cutSignal?.removeEventListener('abort', giveUpOnAbort);
      signal.removeEventListener('abort', onAbort);
    },
  };
}

function createTimer(onExpired: (ms: number) => void) {
  let timeout: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timeout);
  return {
    stop,
    start: (ms: number | undefined): void => {
      stop();
      if (ms !== undefined) timeout = setTimeout(onExpired, ms, ms);
    },
  };
}
