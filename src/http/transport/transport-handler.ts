import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** The life of one exchange: it starts at most once and ends exactly once. */
export interface HttpExchange {
  start(controller: Dispatcher.DispatchController): void;
  headersCame(status: number): void;
  finish(): void;
  fail(cause: unknown): void;
}

/** Takes the parts of an answer; an error thrown here fails the exchange. */
export interface AnswerParts {
  head(status: number, headers: IncomingHttpHeaders): void;
  data(chunk: Uint8Array): void;
}

/** Ties an exchange to undici's dispatch interface; informational answers (1xx) are passed over. */
export function handlerOf(exchange: HttpExchange, parts: AnswerParts): Dispatcher.DispatchHandler {
  const guarded = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      exchange.fail(error);
    }
  };
  return {
    onRequestStart: (controller) => exchange.start(controller),
    onResponseStart: (_, status, headers) => {
      if (status < 200) return;
      exchange.headersCame(status);
      guarded(() => parts.head(status, headers));
    },
    // Not with the controller's pause: undici falls over when a paused connection ends.
    onResponseData: (_, chunk) => guarded(() => parts.data(chunk)),
    onResponseEnd: () => guarded(() => exchange.finish()),
    onResponseError: (_, error) => exchange.fail(error),
  };
}
