import { setMaxListeners } from 'node:events';
import type { buildConnector, Dispatcher } from 'undici';
import { isLoopback } from '../../contract/values/text.ts';
import { CliError, unsetLine } from '../../errors/cli-error.ts';
import { codeOf, failureOf, isCertificateCode, TransportFailure } from './failure.ts';

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

const unchecked = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Opens separate connections to the web origin of an address, through its proxy. */
export async function connector(options: ConnectionOptions, danger: string): Promise<() => Promise<Connection>> {
  const { baseUrl, env, connectTimeoutMs } = options;
  if (env[unchecked] === '0' && !isLoopback(baseUrl)) {
    throw new CliError('usage', `${unchecked}=0 lets anyone ${danger}`, { hint: unsetLine(unchecked, env) });
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
    const direct: OpenDirect = (origin, connect) => new Client(origin, { ...untimed, connect: connect ?? connecting });
    const dispatcher = proxy ? await openProxied(proxy, connecting, direct) : direct(baseUrl.origin);
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

type Connector = buildConnector.connector;
type OpenDirect = (origin: string, connect?: Connector) => Dispatcher;

async function openProxied(
  proxy: URL,
  connecting: { readonly timeout: number; readonly signal: AbortSignal },
  direct: OpenDirect,
): Promise<Dispatcher> {
  const [{ default: ProxyAgent }, { default: tunnel }, { unescape: decoded }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
    import('node:querystring'),
  ]);
  // undici fails on a password with a lone `%`, and omits a user without one.
  const login = Buffer.from([proxy.username, proxy.password].map(decoded).join(':')).toString('base64');
  return new ProxyAgent({
    uri: proxy.href,
    ...(proxy.username && { token: `Basic ${login}` }),
    proxyTls: connecting,
    requestTls: connecting,
    // undici's index adds this method to every dispatcher; its single modules do not.
    clientFactory: (origin, options) =>
      Object.assign(direct(String(origin), connectorIn(options)), { connect: tunnel }),
    factory: (origin, options) => direct(String(origin), namingProxy(proxy.host, connectorIn(options))),
  });
}

function connectorIn(options: object): Connector {
  return (options as { readonly connect: Connector }).connect;
}

function namingProxy(proxyHost: string, connect: Connector): Connector {
  // Without this, undici reconnects to a proxy that hangs up until the attempt times out.
  return (options, done) =>
    connect(options, (...[error, socket]) => (error ? done(viaProxy(error, proxyHost), null) : done(null, socket)));
}

function viaProxy(error: Error, proxyHost: string): TransportFailure {
  const code = codeOf(error);
  if (isCertificateCode(code)) return failureOf(error, { sent: false, host: 'the service or the proxy' });
  const status = /Proxy response \((\d+)\)/.exec(error.message)?.[1];
  if (status) {
    const message = `the proxy ${proxyHost} refused the connection (${status})`;
    return new TransportFailure('proxy', message, { sent: false, repeats: 'never' });
  }
  const message = `no connection through the proxy ${proxyHost}${code && ` (${code})`}`;
  return new TransportFailure('proxy', message, { sent: false, repeats: 'always' });
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
