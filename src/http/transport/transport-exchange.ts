import type { Dispatcher } from 'undici';
import type { HttpResponse } from '../../contract/exchange.ts';
import { type FailureReason, failureOf, TransportFailure } from './failure.ts';
import { createResponseBuffer, type ResponseBuffer } from './response-buffer.ts';
import { type HttpExchange, handlerOf } from './transport-handler.ts';

export interface Limits {
  /** From handing over the request to the response's headers. */
  readonly headersTimeoutMs: number;
  /** From start to end, waiting for a connection included. */
  readonly attemptTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Only for a write: an aborted read changes nothing. */
  readonly grace?: Grace | undefined;
}

/** How long to wait for the response of a sent request after its signal is aborted. */
export interface Grace {
  /** Milliseconds, by the reason of the abort; 0 means none. */
  readonly msAfter: (reason: unknown) => number;
  /** Called when this wait begins. */
  readonly begun: (ms: number) => void;
  /** Aborted to end this wait early. */
  readonly cut?: AbortSignal;
}

type Controller = Dispatcher.DispatchController;

/**
 * One request and its whole response. Uses undici's dispatch interface because only it reports when the request is
 * handed to a connected socket. Before that nothing was sent; after that the service may have received it.
 */
export function exchangeOnce(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions & { readonly origin: string },
  limits: Limits,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const response = createResponseBuffer();
    const exchange = startExchange({ response, limits, host: new URL(request.origin).host, resolve, reject });
    if (!limits.signal.aborted)
      dispatcher.dispatch(request, handlerOf(exchange, { head: response.begin, data: response.add }));
  });
}

interface ExchangeOptions {
  readonly response: ResponseBuffer;
  readonly limits: Limits;
  readonly host: string;
  readonly resolve: (response: HttpResponse) => void;
  readonly reject: (failure: TransportFailure) => void;
}

function startExchange({ response, limits, host, resolve, reject }: ExchangeOptions): HttpExchange {
  let controller: Controller | undefined;
  let over = false;
  const failureContext = () => ({ sent: controller !== undefined, status: response.status(), host });
  const end = (): void => {
    over = true;
    clock.stop();
  };
  const fail = (cause: unknown): void => {
    if (over) return;
    end();
    const failure = failureOf(cause, failureContext());
    reject(failure);
    controller?.abort(failure);
  };
  const clock = startTimers(limits, {
    isSent: () => controller !== undefined,
    onEnd: (reason, message) => {
      const repeats = reason === 'timeout' ? 'always' : 'never';
      fail(new TransportFailure(reason, `${host} ${message}`, { ...failureContext(), repeats }));
    },
  });
  return {
    start(started) {
      // A second start would send the request twice, and a late one would send an aborted request.
      if (over || controller) return started.abort(new Error('not started again'));
      controller = started;
      clock.awaitHeaders();
    },
    headersCame: () => clock.headersCame(),
    finish() {
      const complete = response.complete();
      if (over) return;
      end();
      resolve(complete);
    },
    fail,
  };
}

interface Timers {
  awaitHeaders(): void;
  headersCame(): void;
  stop(): void;
}

interface TimerOptions {
  readonly isSent: () => boolean;
  readonly onEnd: (reason: FailureReason, message: string) => void;
}

/** Measures the time limits here, because undici's body timeout restarts with every byte. */
function startTimers(limits: Limits, { isSent, onEnd }: TimerOptions): Timers {
  const { signal, grace, headersTimeoutMs, attemptTimeoutMs } = limits;
  const after = (ms: number): NodeJS.Timeout =>
    setTimeout(() => onEnd('timeout', `did not respond within ${ms / 1000} s`), ms);
  const giveUp = (): void => onEnd('aborted', 'did not respond before the request was aborted');
  const stopped = (): void => {
    const graceMs = grace && isSent() ? grace.msAfter(signal.reason) : 0;
    if (grace && graceMs > 0) {
      last = setTimeout(giveUp, graceMs);
      grace.cut?.addEventListener('abort', giveUp, { once: true });
      grace.begun(graceMs);
    } else giveUp();
  };
  const attempt = after(attemptTimeoutMs);
  let headers: NodeJS.Timeout | undefined;
  let last: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', stopped, { once: true });
  if (signal.aborted) queueMicrotask(stopped);
  return {
    awaitHeaders: () => {
      headers = after(headersTimeoutMs);
    },
    headersCame: () => clearTimeout(headers),
    stop: () => {
      clearTimeout(attempt);
      clearTimeout(headers);
      clearTimeout(last);
      grace?.cut?.removeEventListener('abort', giveUp);
      signal.removeEventListener('abort', stopped);
    },
  };
}
