import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import { isLoopback } from '../../contract/values/text.ts';
import { CliError, unsetLine } from '../../errors/cli-error.ts';
import type { OpenDirectConnection } from './proxied.ts';

export interface ConnectionOptions {
  readonly baseUrl: URL;
  readonly connectTimeoutMs: number;
  /** Read for the proxy variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Connection {
  readonly dispatcher: Dispatcher;
  end(): Promise<void>;
}

const insecureVariable = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Opens separate connections to the web origin of an address, through its proxy. */
export async function createConnector(options: ConnectionOptions, danger: string): Promise<() => Promise<Connection>> {
  const { baseUrl, env, connectTimeoutMs } = options;
  if (env[insecureVariable] === '0' && !isLoopback(baseUrl)) {
    throw new CliError('usage', `${insecureVariable}=0 lets anyone ${danger}`, {
      hint: unsetLine(insecureVariable, env),
    });
  }
  const proxy = chooseProxy(baseUrl, env);
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  // The exchange measures time. A second timeout inside undici would make failures harder to tell apart.
  const untimed = { headersTimeout: 0, bodyTimeout: 0 };
  return async () => {
    const ending = new AbortController();
    // A long wait reconnects often, and Node leaves one listener per socket, which is no leak.
    setMaxListeners(0, ending.signal);
    const connecting = { timeout: connectTimeoutMs, signal: ending.signal };
    const direct: OpenDirectConnection = (origin, connect) =>
      new Client(origin, { ...untimed, connect: connect ?? connecting });
    const dispatcher = proxy
      ? await (await import('./proxied.ts')).openProxied(proxy, connecting, direct)
      : direct(baseUrl.origin);
    return {
      dispatcher,
      end: async () => {
        await dispatcher.destroy();
        // undici leaves a socket connecting, which would keep the process alive.
        ending.abort();
      },
    };
  };
}

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy that the environment sets for an address; undefined for a direct connection, which loopback always
 * uses. Throws usage for an unusable proxy address: a direct connection could leak the token to the wrong network.
 */
export function chooseProxy(base: URL, env: Env): URL | undefined {
  if (isLoopback(base)) return undefined;
  const own = base.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = [...own, 'all_proxy', 'ALL_PROXY'].find((variable) => env[variable]);
  if (!name) return undefined;
  const proxy = parseProxy(name, env);
  return isExempt(base, env['no_proxy'] ?? env['NO_PROXY'] ?? '') ? undefined : proxy;
}

function parseProxy(name: string, env: Env): URL {
  const address = env[name] ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && url.hostname !== '' && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  // The message names only the variable: the address may hold a password.
  throw new CliError('usage', `invalid proxy address in ${name}: it must look like http://proxy.example:3128`, {
    hint: unsetLine(name, env),
  });
}

function isExempt({ hostname, port, protocol }: URL, except: string): boolean {
  if (except === '*') return true;
  const ownPort = port || (protocol === 'https:' ? '443' : '80');
  // An IPv6 address needs its brackets only in front of a port.
  const own = [hostname, hostname.replace(/^\[|\]$/g, '')];
  return except
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, host = entry, onlyPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
      // Matches a host and its subdomains, with a port only at that port.
      const name = host.replace(/^\*?\./, '');
      const isHere = own.includes(name) || hostname.endsWith(`.${name}`);
      return isHere && (onlyPort === undefined || Number(onlyPort) === Number(ownPort));
    });
}
