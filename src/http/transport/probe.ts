import type { IncomingHttpHeaders } from 'node:http';
import { type ConnectionOptions, connector } from './connection.ts';
import { type FailureReason, TransportFailure } from './failure.ts';
import { exchangeOnce, type ResponseReader } from './http-exchange.ts';

interface ProbeOptions extends Omit<ConnectionOptions, 'baseUrl'> {
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Probed =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }
  /** `isNetwork`: our own network may have failed. */
  | { readonly lost: string; readonly isNetwork: boolean };

const mostBytes = 64 * 1024;
const beyondOurNetwork: readonly FailureReason[] = ['certificate', 'protocol'];

/** Sends one GET: follows no redirect, sends no credential, reads at most 64 KiB. */
export async function probe(url: URL, { userAgent, timeoutMs, signal, ...options }: ProbeOptions): Promise<Probed> {
  const connect = await connector({ ...options, baseUrl: url }, 'answer in place of the canary');
  const connection = await connect();
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent };
  const path = `${url.pathname}${url.search}`;
  const request = { origin: url.origin, path, method: 'GET', reset: true, headers } as const;
  try {
    return await exchangeOnce(connection.dispatcher, request, answerReader(), { attemptTimeoutMs: timeoutMs, signal });
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    return { lost: error.message, isNetwork: !beyondOurNetwork.includes(error.reason) };
  } finally {
    await connection.end();
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
