import v8 from 'node:v8';
import type { HttpRequest, Transport } from '../../contract/exchange.ts';
import { type Connection, type ConnectionOptions, createConnector } from './connection.ts';
import { exchangeOnce, type Grace, type UndiciRequest } from './http-exchange.ts';
import { createResponseBuffer } from './response-buffer.ts';

/** Options of a transport to one service. `baseUrl` ends with the version segment: `https://host/api/3`. */
export interface TransportOptions extends ConnectionOptions {
  readonly userAgent: string;
  readonly headersTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** How long an aborted write waits for its response. If undefined, an abort ends a write at once. */
  readonly grace?: Grace;
  /** The value of `process.versions.v8`. If undefined, `keepParserUnoptimised` is not called. */
  readonly v8Version?: string;
}

export type ClosableTransport = Transport & { close(): Promise<void> };

/** Creates a transport to one service over HTTP/1.1, without redirects, compression or retries. */
export async function createTransport(options: TransportOptions): Promise<ClosableTransport> {
  const { headersTimeoutMs, attemptTimeoutMs, grace } = options;
  if (options.v8Version) keepParserUnoptimised(options.v8Version);
  const connect = await createConnector(options, 'read the token; nothing was sent');
  const connections = new Set<Connection>();
  const idleConnections: Connection[] = [];
  const endConnection = async (connection: Connection): Promise<void> => {
    if (connections.delete(connection)) await connection.end();
  };
  const send: Transport = async (request, token, signal) => {
    const isReadRequest = request.method === 'GET';
    // A write opens a new connection: if an idle connection closed at that moment, the outcome would be unknown.
    const connection = (isReadRequest ? idleConnections.pop() : undefined) ?? (await connect());
    connections.add(connection);
    const undiciRequest = toUndiciRequest(request, token, options);
    const limits = { headersTimeoutMs, attemptTimeoutMs, signal, grace: isReadRequest ? undefined : grace };
    const exchange = exchangeOnce(connection.dispatcher, undiciRequest, createResponseBuffer(), limits);
    const response = await exchange.catch(async (failure: unknown) => {
      await endConnection(connection);
      throw failure;
    });
    if (isReadRequest) idleConnections.push(connection);
    else void endConnection(connection);
    return response;
  };
  return Object.assign(send, {
    close: async () => {
      await Promise.all([...connections].map(endConnection));
    },
  });
}

function toUndiciRequest(request: HttpRequest, token: string | undefined, options: TransportOptions): UndiciRequest {
  const { baseUrl, userAgent } = options;
  const search = request.query.size > 0 ? `?${request.query}` : '';
  return {
    origin: baseUrl.origin,
    method: request.method,
    reset: request.method !== 'GET',
    // The two paths are joined as text. Resolved as a URL, the request path could leave the base address.
    path: `${baseUrl.pathname.replace(/(?<!\/)\/+$/, '')}${request.path}${search}`,
    body: request.body ?? null,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...(request.account !== undefined && { 'x-account': request.account }),
      ...(request.id !== undefined && { 'request-id': request.id }),
      ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };
}

type Wasm = { Module: new (bytes: Uint8Array) => object };

const unreachableTieringBudget = 2_147_483_647;
const defaultTieringBudget = 1_800_000;

/**
 * Stops Node 20 (V8 11.x) from compiling undici's HTTP parser again with the optimising compiler, because the process
 * waits for that compiler at exit. One GET then takes 52 ms instead of 122 and 50 MB instead of 85, and the parser is
 * as fast. V8 copies the compiler's budget when the module is created. Afterwards the budget is reset, because Node
 * would reject its own code cache. Delete this function when Node 20 is no longer supported: newer V8 does not wait.
 */
export function keepParserUnoptimised(v8Version: string): void {
  if (!v8Version.startsWith('11.')) return;
  const wasm: Wasm = Reflect.get(globalThis, 'WebAssembly');
  const originalModule = wasm.Module;
  wasm.Module = new Proxy(originalModule, {
    construct(target, [bytes]: [Uint8Array]) {
      wasm.Module = originalModule;
      v8.setFlagsFromString(`--wasm-tiering-budget=${unreachableTieringBudget}`);
      try {
        return new target(bytes);
      } finally {
        v8.setFlagsFromString(`--wasm-tiering-budget=${defaultTieringBudget}`);
      }
    },
  });
}
