import type { IncomingHttpHeaders } from 'node:http';
import { type FailureReason, TransportFailure } from '../../contract/exchange.ts';
import { type ConnectionOptions, createConnector } from './connection.ts';
import { type ExchangeLimits, exchangeOnce, type ResponseReader } from './http-exchange.ts';

export interface GetOptions extends Omit<ConnectionOptions, 'baseUrl'> {
  readonly userAgent: string;
}

interface GetRequest extends GetOptions {
  /** For an error message: what anyone could do without the check of certificates (`answer in place of the canary`). */
  readonly danger: string;
  readonly extraHeaders?: Readonly<Record<string, string>>;
}

/** Sends one GET without a credential on a new connection. Follows no redirect. */
export async function getOnce<T>(url: URL, options: GetRequest, reader: ResponseReader<T>, limits: ExchangeLimits) {
  const { userAgent, danger, extraHeaders, ...connectionOptions } = options;
  const connect = await createConnector({ ...connectionOptions, baseUrl: url }, danger);
  const connection = await connect();
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent, ...extraHeaders };
  const request = { origin: url.origin, path: url.pathname + url.search, method: 'GET', reset: true, headers } as const;
  try {
    return await exchangeOnce(connection.dispatcher, request, reader, limits);
  } finally {
    await connection.end();
  }
}

interface ProbeOptions extends GetOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type ProbeResult =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  /** There was no response. `isNetwork` is true if our own network may have failed. */
  | { readonly lost: string; readonly isNetwork: boolean };

const maxProbeBytes = 64 * 1024;
const reasonsBeyondOurNetwork: readonly FailureReason[] = ['certificate', 'protocol'];

/** Sends one GET and reads at most 64 KiB of the response. */
export async function probe(url: URL, { timeoutMs, signal, ...options }: ProbeOptions): Promise<ProbeResult> {
  const request = { ...options, danger: 'answer in place of the canary' };
  try {
    return await getOnce(url, request, createAnswerReader(), { attemptTimeoutMs: timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    return { lost: error.message, isNetwork: !reasonsBeyondOurNetwork.includes(error.reason) };
  }
}

function createAnswerReader(): ResponseReader<ProbeResult> {
  const chunks: Uint8Array[] = [];
  let receivedBytes = 0;
  let head: { readonly status: number; readonly headers: IncomingHttpHeaders } = { status: 0, headers: {} };
  return {
    begin(status, headers) {
      head = { status, headers };
      return true;
    },
    add(chunk) {
      // The bytes are copied, because the chunk is a view of a buffer that will be overwritten.
      chunks.push(Uint8Array.from(chunk.subarray(0, maxProbeBytes - receivedBytes)));
      receivedBytes += chunk.byteLength;
    },
    isFull: () => receivedBytes >= maxProbeBytes,
    complete: () => ({ ...head, text: Buffer.concat(chunks).toString('utf8') }),
  };
}
