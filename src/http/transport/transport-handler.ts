import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** The life of one exchange: it starts at most once and ends exactly once. */
export interface HttpExchange {
  start(controller: Dispatcher.DispatchController): void;
  headersCame(status: number): void;
  finish(): void;
  fail(cause: unknown): void;
}

/** Takes the parts of a response; an error thrown here fails the exchange. */
export interface ResponseParts {
  head(status: number, headers: IncomingHttpHeaders): void;
  data(chunk: Uint8Array): void;
}

/** Ties an exchange to undici's dispatch interface; informational responses (1xx) are ignored. */
export function handlerOf(exchange: HttpExchange, parts: ResponseParts): Dispatcher.DispatchHandler {
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
    // Does not use the controller's pause: undici crashes when a paused connection ends.
    onResponseData: (_, chunk) => guarded(() => parts.data(chunk)),
    onResponseEnd: () => guarded(() => exchange.finish()),
    onResponseError: (_, error) => exchange.fail(error),
  };
}
