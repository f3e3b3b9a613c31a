import v8 from 'node:v8';
import type { HttpRequest, Transport } from '../../contract/exchange.ts';
import { type Connection, type ConnectionOptions, createConnector } from './connection.ts';
import { type DispatchRequest, exchangeOnce, type Grace } from './http-exchange.ts';
import { createResponseBuffer } from './response-buffer.ts';

/** `baseUrl` ends with the version segment, such as `https://host/api/3`. */
export interface TransportOptions extends ConnectionOptions {
  readonly userAgent: string;
  readonly headersTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** For writes; without a grace an abort ends them at once. */
  readonly grace?: Grace;
  /** `process.versions.v8`; without it the Node 20 speed-up stays off. */
  readonly v8Version?: string;
}

export type ClosableTransport = Transport & { close(): Promise<void> };

/** Sends requests to one service over HTTP/1.1, without redirects, compression or retries. */
export async function createTransport(options: TransportOptions): Promise<ClosableTransport> {
  const { headersTimeoutMs, attemptTimeoutMs, grace } = options;
  if (options.v8Version) keepParserPlain(options.v8Version);
  const connect = await createConnector(options, 'read the token; nothing was sent');
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  const end = async (connection: Connection): Promise<void> => {
    if (open.delete(connection)) await connection.end();
  };
  const send: Transport = async (request, token, signal) => {
    const reads = request.method === 'GET';
    // A write opens its own connection: when an idle one closes at that moment, the outcome is unknown.
    const connection = (reads ? idle.pop() : undefined) ?? (await connect());
    open.add(connection);
    const dispatch = toDispatch(request, token, options);
    const limits = { headersTimeoutMs, attemptTimeoutMs, signal, grace: reads ? undefined : grace };
    const exchange = exchangeOnce(connection.dispatcher, dispatch, createResponseBuffer(), limits);
    const response = await exchange.catch(async (failure: unknown) => {
      await end(connection);
      throw failure;
    });
    if (reads) idle.push(connection);
    else void end(connection);
    return response;
  };
  return Object.assign(send, {
    close: async () => {
      await Promise.all([...open].map(end));
    },
  });
}

function toDispatch(
  request: HttpRequest,
  token: string | undefined,
  { baseUrl, userAgent }: TransportOptions,
): DispatchRequest {
  const search = request.query.size > 0 ? `?${request.query}` : '';
  return {
    origin: baseUrl.origin,
    method: request.method,
    reset: request.method !== 'GET',
    // Joined as text, because URL resolution could leave the base address.
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

interface Wasm {
  Module: new (bytes: Uint8Array) => object;
}

const neverBudget = 2_147_483_647;
const usualBudget = 1_800_000;

/**
 * Stops Node 20 (V8 11.x) from compiling undici's HTTP parser again with its optimising compiler, which the process
 * awaits at exit. One GET takes 52 ms instead of 122 and 50 MB instead of 85; the plain parser is as fast. V8 copies
 * the budget when the module is made. Changed for longer, it would make Node reject its own code cache. Delete this
 * file when Node 20 is no longer supported; newer V8 does not wait.
 */
export function keepParserPlain(v8Version: string): void {
  if (!v8Version.startsWith('11.')) return;
  const wasm: Wasm = Reflect.get(globalThis, 'WebAssembly');
  const original = wasm.Module;
  wasm.Module = new Proxy(original, {
    construct(target, [bytes]: [Uint8Array]) {
      wasm.Module = original;
      v8.setFlagsFromString(`--wasm-tiering-budget=${neverBudget}`);
      try {
        return new target(bytes);
      } finally {
        v8.setFlagsFromString(`--wasm-tiering-budget=${usualBudget}`);
      }
    },
  });
}
