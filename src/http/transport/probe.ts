import type { IncomingHttpHeaders } from 'node:http';
import { type FailureReason, TransportFailure } from '../../contract/exchange.ts';
import { type ConnectionOptions, createConnector } from './connection.ts';
import { type ExchangeLimits, exchangeOnce, type ResponseReader } from './http-exchange.ts';

export interface GetOptions extends Omit<ConnectionOptions, 'baseUrl'> {
  readonly userAgent: string;
}

/**
 * Sends one GET without a credential on a connection of its own, and follows no redirect. `danger`: the harm that anyone
 * could do without the check of certificates.
 */
export async function getOnce<Result>(
  url: URL,
  { userAgent, danger, more, ...options }: GetOptions & { readonly danger: string; readonly more?: Headers },
  reader: ResponseReader<Result>,
  limits: ExchangeLimits,
): Promise<Result> {
  const connect = await createConnector({ ...options, baseUrl: url }, danger);
  const connection = await connect();
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent, ...more };
  const request = {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'GET',
    reset: true,
    headers,
  } as const;
  try {
    return await exchangeOnce(connection.dispatcher, request, reader, limits);
  } finally {
    await connection.end();
  }
}

type Headers = Readonly<Record<string, string>>;

interface ProbeOptions extends GetOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Probed =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  /** `isNetwork`: our own network may have failed. */
  | { readonly lost: string; readonly isNetwork: boolean };

const mostBytes = 64 * 1024;
const beyondOurNetwork: readonly FailureReason[] = ['certificate', 'protocol'];

/** Reads at most 64 KiB of the response to one GET. */
export async function probe(url: URL, { timeoutMs, signal, ...options }: ProbeOptions): Promise<Probed> {
  const request = { ...options, danger: 'answer in place of the canary' };
  try {
    return await getOnce(url, request, answerReader(), { attemptTimeoutMs: timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    return { lost: error.message, isNetwork: !beyondOurNetwork.includes(error.reason) };
  }
}

function answerReader(): ResponseReader<Probed> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let head: { readonly status: number; readonly headers: IncomingHttpHeaders } = { status: 0, headers: {} };
  return {
    begin(status, headers) {
      head = { status, headers };
      return true;
    },
    add(chunk) {
      // Copied, because a chunk is a view of a buffer that is used again.
      chunks.push(Uint8Array.from(chunk.subarray(0, mostBytes - bytes)));
      bytes += chunk.byteLength;
    },
    isFull: () => bytes >= mostBytes,
    complete: () => ({ ...head, text: Buffer.concat(chunks).toString('utf8') }),
  };
}
