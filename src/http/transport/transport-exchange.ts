import type { Dispatcher } from 'undici';
import type { HttpAnswer } from '../../contract/exchange.ts';
import { type AnswerBuffer, createAnswerBuffer } from './answer-buffer.ts';
import { type FailureReason, failureOf, TransportFailure } from './failure.ts';
import { type HttpExchange, handlerOf } from './transport-handler.ts';

export interface Limits {
  /** From handing over the request to the answer's headers. */
  readonly headersTimeoutMs: number;
  /** From start to end, waiting for a connection included. */
  readonly attemptTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Only for a write: a read that is given up leaves nothing to know. */
  readonly grace?: Grace | undefined;
}

/** How long a request that was sent is still listened to when its signal is aborted. */
export interface Grace {
  /** By the reason of the abort; 0 for not at all. */
  readonly msAfter: (reason: unknown) => number;
  /** Called when the listening begins. */
  readonly begun: (ms: number) => void;
  /** Aborted to end the listening before its time. */
  readonly cut?: AbortSignal;
}

type Controller = Dispatcher.DispatchController;

/**
 * One request and its whole answer. Uses undici's dispatch interface because only there the moment shows in which the
 * request is handed to a connected socket: before it nothing was sent, after it anything may have happened.
 */
export function exchangeOnce(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions & { readonly origin: string },
  limits: Limits,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const answer = createAnswerBuffer();
    const exchange = startExchange({ answer, limits, host: new URL(request.origin).host, resolve, reject });
    if (!limits.signal.aborted)
      dispatcher.dispatch(request, handlerOf(exchange, { head: answer.begin, data: answer.add }));
  });
}

interface ExchangeOptions {
  readonly answer: AnswerBuffer;
  readonly limits: Limits;
  readonly host: string;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (failure: TransportFailure) => void;
}

function startExchange({ answer, limits, host, resolve, reject }: ExchangeOptions): HttpExchange {
  let controller: Controller | undefined;
  let over = false;
  const failureContext = () => ({ sent: controller !== undefined, status: answer.status(), host });
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
  const clock = watch(limits, {
    isSent: () => controller !== undefined,
    onEnd: (reason, words) => {
      const repeats = reason === 'timeout' ? 'always' : 'never';
      fail(new TransportFailure(reason, `${host} ${words}`, { ...failureContext(), repeats }));
    },
  });
  return {
    start(started) {
      // A second start would send the request twice, a late one what was already given up.
      if (over || controller) return started.abort(new Error('not started again'));
      controller = started;
      clock.awaitHeaders();
    },
    headersCame: () => clock.headersCame(),
    finish() {
      const complete = answer.complete();
      if (over) return;
      end();
      resolve(complete);
    },
    fail,
  };
}

interface Watch {
  awaitHeaders(): void;
  headersCame(): void;
  stop(): void;
}

interface Watched {
  readonly isSent: () => boolean;
  readonly onEnd: (reason: FailureReason, words: string) => void;
}

/** undici's own body time-out starts anew with every byte, so time is kept here. */
function watch(limits: Limits, { isSent, onEnd }: Watched): Watch {
  const { signal, grace, headersTimeoutMs, attemptTimeoutMs } = limits;
  const after = (ms: number): NodeJS.Timeout =>
    setTimeout(() => onEnd('timeout', `did not answer within ${ms / 1000} s`), ms);
  const giveUp = (): void => onEnd('aborted', 'was not waited for any longer');
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
