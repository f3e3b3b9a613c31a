import type { Method } from './operation.ts';

/** One request, relative to the base address; `path` is already percent-encoded. */
export interface HttpRequest {
  readonly method: Method;
  readonly path: string;
  readonly query: URLSearchParams;
  /** JSON text unless `contentType` says otherwise; undefined without a body. */
  readonly body: string | undefined;
  /** The request with masked secrets. Absent if it holds no secrets. */
  readonly masked?: Pick<HttpRequest, 'path' | 'query' | 'body'>;
  /** Credentials in the request, which are never shown. */
  readonly secrets?: readonly string[];
  /** Values that the request writes. A message from the service is shown without these values. */
  readonly written?: readonly string[];
  readonly contentType?: string;
  /** Sent as `X-Account`: selects the account. */
  readonly account?: string;
  /** Sent as `Request-Id`. */
  readonly id?: string;
}

/** One complete response. Header names are in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type FailureReason = ConnectFailure | 'reset' | 'timeout' | 'aborted' | 'too_large' | 'encoded' | 'protocol';
type ConnectFailure = 'dns' | 'refused' | 'connect_timeout' | 'tls' | 'certificate' | 'proxy';

/** How often a failed request may be repeated, if a repetition is safe. */
export type RepeatLimit = 'never' | 'once' | 'always';

/** The error if no complete response arrived. The message tells why, without secrets and content. */
export class TransportFailure extends Error {
  readonly reason: FailureReason;
  /** True if the request had been handed to a connected socket before the failure. */
  readonly sent: boolean;
  readonly repeats: RepeatLimit;
  readonly status: number | undefined;

  constructor(reason: FailureReason, message: string, context: FailureContext & { readonly repeats: RepeatLimit }) {
    super(message);
    this.name = 'TransportFailure';
    this.reason = reason;
    this.sent = context.sent;
    this.repeats = context.repeats;
    this.status = context.status;
  }
}

export interface FailureContext {
  readonly sent: boolean;
  readonly status?: number | undefined;
}

/** Sends one request once. Throws a `TransportFailure` if no complete response arrives. */
export type Transport = (request: HttpRequest, token: string | undefined, signal: AbortSignal) => Promise<HttpResponse>;

/** The part of a file that is already downloaded. The host must prove that the rest is of the same version. */
export interface DownloadedPart {
  readonly bytes: number;
  /** Bytes of the whole file. */
  readonly size: number;
  /** The host's version of the file: its ETag, else Last-Modified. */
  readonly validator: string;
}

interface DownloadHead {
  readonly validator: string | undefined;
  /** True when only the rest of the file follows. */
  readonly continues: boolean;
}

export interface DownloadSink {
  /** The part to continue from; by default the whole file is requested. */
  readonly start?: DownloadedPart | undefined;
  /** Called once before the first byte. `bytes` is the number of bytes to come; undefined if the host does not say. */
  begin(bytes: number | undefined, head: DownloadHead): void;
  take(chunk: Uint8Array): void;
}

/** Downloads a signed address without a token. An error has the status of the refusal, but never the address. */
export type RunDownload = (address: string, sink: DownloadSink, signal: AbortSignal) => Promise<void>;
