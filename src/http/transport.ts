import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { HttpRequest, Transport } from '../contract/exchange.ts';
import { Problem } from '../problems/problem.ts';
import { keepParserPlain } from './node20-parser.ts';
import { chooseProxy, isLoopback } from './proxy.ts';
import { exchangeOnce, type Grace } from './transport-exchange.ts';
import { type OpenDirect, openProxied } from './transport-proxy.ts';

export interface TransportOptions {
  /** Ends with the version segment, such as `https://host/api/3`. */
  readonly baseUrl: URL;
  readonly userAgent: string;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly attemptTimeoutMs: number;
  /** For writes; without it an abort ends them at once. */
  readonly grace?: Grace;
  /** Where the proxy variables come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `process.versions.v8`; without it the Node 20 speed-up stays off. */
  readonly v8Version?: string;
}

export type ClosableTransport = Transport & { close(): Promise<void> };

export interface Connection {
  readonly dispatcher: Dispatcher;
  end(): Promise<void>;
}

/** Sends requests to one service over HTTP/1.1: no redirects, no compression, no repeats. */
export async function undiciTransport(options: TransportOptions): Promise<ClosableTransport> {
  const { baseUrl, env, headersTimeoutMs, attemptTimeoutMs, grace } = options;
  refuseBlindTls(baseUrl, env);
  if (options.v8Version) keepParserPlain(options.v8Version);
  const connect = await opener(options);
  const open = new Set<Connection>();
  const idle: Connection[] = [];
  const end = async (connection: Connection): Promise<void> => {
    if (open.delete(connection)) await connection.end();
  };
  const send: Transport = async (request, token, signal) => {
    const reads = request.method === 'GET';
    // A write never reuses a connection: one that dies under it would leave the outcome unknown.
    const connection = (reads ? idle.pop() : undefined) ?? (await connect());
    open.add(connection);
    const dispatch = toDispatch(request, token, options);
    const limits = { headersTimeoutMs, attemptTimeoutMs, signal, grace: reads ? undefined : grace };
    const answer = await exchangeOnce(connection.dispatcher, dispatch, limits).catch(async (failure: unknown) => {
      await end(connection);
      throw failure;
    });
    if (reads) idle.push(connection);
    else void end(connection);
    return answer;
  };
  return Object.assign(send, {
    close: async () => {
      // Idle connections do not hold the process, and taking them down costs 2 ms at the end of every command.
      await Promise.all([...open].filter((connection) => !idle.includes(connection)).map(end));
    },
  });
}

/** Makes connections to the origin of an address, each for its own use, through the proxy that applies there. */
export async function opener({
  baseUrl,
  env,
  connectTimeoutMs,
}: Pick<TransportOptions, 'baseUrl' | 'env' | 'connectTimeoutMs'>): Promise<() => Promise<Connection>> {
  const proxy = chooseProxy(baseUrl, env);
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  // Time is kept by the exchange; a second clock inside undici would only make failures harder to tell apart.
  const untimed = { headersTimeout: 0, bodyTimeout: 0 };
  return async () => {
    const ending = new AbortController();
    // A long wait connects anew again and again, and Node leaves a listener behind for every socket: no leak to warn of.
    setMaxListeners(0, ending.signal);
    const connecting = { timeout: connectTimeoutMs, signal: ending.signal };
    const direct: OpenDirect = (origin, connect) => new Client(origin, { ...untimed, connect: connect ?? connecting });
    const dispatcher = proxy ? await openProxied(proxy, connecting, direct) : direct(baseUrl.origin, undefined);
    return {
      dispatcher,
      end: async () => {
        await dispatcher.destroy();
        // undici lets a socket go on connecting, and the process would wait for it.
        ending.abort();
      },
    };
  };
}

function toDispatch(
  request: HttpRequest,
  token: string | undefined,
  { baseUrl, userAgent }: TransportOptions,
): Dispatcher.DispatchOptions & { readonly origin: string } {
  const search = request.query.size > 0 ? `?${request.query}` : '';
  return {
    origin: baseUrl.origin,
    method: request.method,
    reset: request.method !== 'GET',
    // Joined, not resolved: resolving could climb out of the base address.
    path: `${baseUrl.pathname.replace(/\/+$/, '')}${request.path}${search}`,
    body: request.body ?? null,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
      ...(request.id !== undefined && { 'request-id': request.id }),
      ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  };
}

function refuseBlindTls(baseUrl: URL, env: TransportOptions['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || isLoopback(baseUrl.hostname)) return;
  throw new Problem('usage', 'NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone read the token; nothing was sent', {
    hint: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
  });
}
