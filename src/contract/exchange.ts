import type { Method } from './operation.ts';

/** One request, relative to the base address; `path` is already percent-encoded. */
export interface HttpRequest {
  readonly method: Method;
  readonly path: string;
  /** The same for eyes, where a secret stands in it. */
  readonly shownPath?: string;
  readonly query: URLSearchParams;
  /** The same for eyes, where secrets stand in it. */
  readonly shownQuery?: URLSearchParams;
  /** JSON text unless `contentType` says otherwise, or undefined for none. */
  readonly body: string | undefined;
  /** The same for eyes, where secrets stand in it. */
  readonly shownBody?: string;
  /** Credentials in it, which nobody is to see again. */
  readonly secrets?: readonly string[];
  /** Values that the service is to keep, which its messages are not to repeat. */
  readonly written?: readonly string[];
  readonly contentType?: string;
  /** Travels as `X-Account`: whose stacks are seen. */
  readonly account?: string;
  /** Travels as `Request-Id`, so that operator and service can speak of the same exchange. */
  readonly id?: string;
}

/** One complete answer. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends one request once; throws a `TransportFailure` (http/failure.ts) when no complete answer came. */
export type Transport = (request: HttpRequest, token: string | undefined, signal: AbortSignal) => Promise<HttpResponse>;

/** The beginning of a file that is there already; the host must prove that the rest belongs to it. */
export interface FileStart {
  readonly bytes: number;
  /** Size of the whole file, in bytes. */
  readonly size: number;
  /** What the host called this state of the file: its ETag, or else Last-Modified. */
  readonly validator: string;
}

/** What a storage host says before the first byte. */
export interface FileHead {
  /** As in `FileStart`; undefined when the host gives none that could prove anything. */
  readonly validator: string | undefined;
  /** True when what comes is the rest of the file whose start is there. */
  readonly continues: boolean;
}

/** Takes what a storage host delivers, at once: whoever needs time takes it, and the host waits. */
export interface Sink {
  /** Where to continue; without it the whole file is asked for. */
  readonly start?: FileStart | undefined;
  /** Once, before the first byte: how many will come, undefined when the host does not say. */
  begin(bytes: number | undefined, head: FileHead): void;
  take(chunk: Uint8Array): void;
}

/**
 * Reads a signed address of a storage host to its end, without any token. Throws a Problem that never holds the
 * address; its `status` is that of the answer that refused the link, or the range.
 */
export type Fetch = (address: string, sink: Sink, signal: AbortSignal) => Promise<void>;
