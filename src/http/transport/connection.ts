import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { isLoopback } from '../../contract/values/loopback.ts';
import { Problem } from '../../problems/problem.ts';
import { unsetLine } from '../../problems/repairs.ts';
import { chooseProxy } from './proxy.ts';
import { type OpenDirect, openProxied } from './transport-proxy.ts';

export interface ConnectionOptions {
  readonly baseUrl: URL;
  readonly connectTimeoutMs: number;
  /** Where the proxy variables come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Connection {
  readonly dispatcher: Dispatcher;
  end(): Promise<void>;
}

const unchecked = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Opens separate connections to the origin of an address, through the proxy that applies to it. */
export async function opener(options: ConnectionOptions, danger: string): Promise<() => Promise<Connection>> {
  const { baseUrl, env, connectTimeoutMs } = options;
  if (env[unchecked] === '0' && !isLoopback(baseUrl)) {
    throw new Problem('usage', `${unchecked}=0 lets anyone ${danger}`, { hint: unsetLine(unchecked, env) });
  }
  const proxy = chooseProxy(baseUrl, env);
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  // The exchange measures time; a second timeout inside undici would make failures harder to tell apart.
  const untimed = { headersTimeout: 0, bodyTimeout: 0 };
  return async () => {
    const ending = new AbortController();
    // A long wait reconnects often, and Node leaves one listener per socket. That is no leak worth a warning.
    setMaxListeners(0, ending.signal);
    const connecting = { timeout: connectTimeoutMs, signal: ending.signal };
    const direct: OpenDirect = (origin, connect) => new Client(origin, { ...untimed, connect: connect ?? connecting });
    const dispatcher = proxy ? await openProxied(proxy, connecting, direct) : direct(baseUrl.origin, undefined);
    return {
      dispatcher,
      end: async () => {
        await dispatcher.destroy();
        // undici leaves a socket connecting, and the process would wait for it.
        ending.abort();
      },
    };
  };
}
