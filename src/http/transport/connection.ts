import { setMaxListeners } from 'node:events';
import type { Dispatcher } from 'undici';
import type { Environment } from '../../contract/host.ts';
import { isLoopback } from '../../contract/values/text.ts';
import { CliError, unsetLine } from '../../errors/cli-error.ts';
import type { OpenDirectConnection } from './proxied.ts';

export interface ConnectionOptions {
  readonly baseUrl: URL;
  readonly connectTimeoutMs: number;
  readonly env: Environment;
}

export type Connection = { readonly dispatcher: Dispatcher; end(): Promise<void> };

const tlsVariable = 'NODE_TLS_REJECT_UNAUTHORIZED';

/**
 * Returns a function that opens a connection to the origin of `baseUrl`, through a proxy if the environment sets one.
 * Throws `usage` if the environment turns off the check of certificates, with `danger`: what anyone could do then.
 */
export async function createConnector(options: ConnectionOptions, danger: string): Promise<() => Promise<Connection>> {
  const { baseUrl, env, connectTimeoutMs } = options;
  if (env[tlsVariable] === '0' && !isLoopback(baseUrl)) {
    throw new CliError('usage', `${tlsVariable}=0 lets anyone ${danger}`, { hint: unsetLine(tlsVariable, env) });
  }
  const proxy = chooseProxy(baseUrl, env);
  const { default: Client } = await import('undici/lib/dispatcher/client.js');
  return async () => {
    const endController = new AbortController();
    // Node adds a listener to the signal for each socket and removes none. After many sockets it would warn of a leak.
    setMaxListeners(0, endController.signal);
    const connectOptions = { timeout: connectTimeoutMs, signal: endController.signal };
    // `exchangeOnce` has its own timeouts. A second timeout in undici would make failures harder to tell apart.
    const openDirect: OpenDirectConnection = (origin, connect) =>
      new Client(origin, { headersTimeout: 0, bodyTimeout: 0, connect: connect ?? connectOptions });
    const dispatcher = proxy
      ? await (await import('./proxied.ts')).openProxiedConnection(proxy, connectOptions, openDirect)
      : openDirect(baseUrl.origin);
    return {
      dispatcher,
      end: async () => {
        await dispatcher.destroy();
        // undici does not end a socket that is still connecting, so it is aborted: it would keep the process alive.
        endController.abort();
      },
    };
  };
}

/**
 * Returns the proxy that the environment sets for an address; undefined for a direct connection, and for loopback.
 * Throws `usage` for an unusable proxy address, because a direct connection could leak the token to the wrong network.
 */
export function chooseProxy(baseUrl: URL, env: Environment): URL | undefined {
  if (isLoopback(baseUrl)) return undefined;
  const variables = baseUrl.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
  const name = [...variables, 'all_proxy', 'ALL_PROXY'].find((variable) => env[variable]);
  if (!name) return undefined;
  const proxy = parseProxy(name, env);
  return isExemptFromProxy(baseUrl, env['no_proxy'] ?? env['NO_PROXY'] ?? '') ? undefined : proxy;
}

function parseProxy(name: string, env: Environment): URL {
  const address = env[name] ?? '';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && url.hostname !== '' && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  // The message names the variable and not the address, because the address may hold a password.
  throw new CliError('usage', `invalid proxy address in ${name}: it must look like http://proxy.example:3128`, {
    hint: unsetLine(name, env),
  });
}

function isExemptFromProxy({ hostname, port, protocol }: URL, noProxy: string): boolean {
  if (noProxy === '*') return true;
  const targetPort = port || (protocol === 'https:' ? '443' : '80');
  // An entry for an IPv6 address needs brackets only in front of a port, so both spellings are compared.
  const targetNames = [hostname, hostname.replace(/^\[|\]$/g, '')];
  return noProxy
    .toLowerCase()
    .split(/[,\s]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      const [, host = entry, onlyPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? [];
      // An entry matches a host and its subdomains. An entry with a port matches only that port.
      const name = host.replace(/^\*?\./, '');
      const matchesHost = targetNames.includes(name) || hostname.endsWith(`.${name}`);
      return matchesHost && (onlyPort === undefined || Number(onlyPort) === Number(targetPort));
    });
}
