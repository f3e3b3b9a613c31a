import type { Method } from './operation.ts';

/** One request, relative to the base address; `path` is already percent-encoded. */
export interface HttpRequest {
  readonly method: Method;
  readonly path: string;
  /** The same for eyes, where a secret stands in it. */
  readonly shownPath?: string;
  readonly query: URLSearchParams;
  /** JSON text unless `contentType` says otherwise, or undefined for none. */
  readonly body: string | undefined;
  readonly contentType?: string;
  /** Travels as `Request-Id`, so that operator and service can speak of the same exchange. */
  readonly id?: string;
}

/** One complete answer. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one request once; throws a `TransportFailure` (http/failure.ts) when no complete answer came. */
export type Transport = (request: HttpRequest, token: string | undefined, signal: AbortSignal) => Promise<HttpAnswer>;
