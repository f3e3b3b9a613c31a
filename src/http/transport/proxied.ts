import type { buildConnector, Dispatcher } from 'undici';
import { TransportFailure } from '../../contract/exchange.ts';
import { certificateCodePattern, errorCodeOf, failureOf } from './failure.ts';

type Connector = buildConnector.connector;
export type OpenDirectConnection = (origin: string, connect?: Connector) => Dispatcher;

type ConnectLimits = { readonly timeout: number; readonly signal: AbortSignal };

export async function openProxiedConnection(proxy: URL, limits: ConnectLimits, openDirect: OpenDirectConnection) {
  const [{ default: ProxyAgent }, { default: tunnel }, { unescape: percentDecode }] = await Promise.all([
    import('undici/lib/dispatcher/proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
    import('node:querystring'),
  ]);
  // The login is built here, because undici fails on a password with a lone `%` and omits a user without a password.
  const login = Buffer.from([proxy.username, proxy.password].map(percentDecode).join(':')).toString('base64');
  return new ProxyAgent({
    uri: proxy.href,
    ...(proxy.username && { token: `Basic ${login}` }),
    proxyTls: limits,
    requestTls: limits,
    // ProxyAgent calls `connect`. Only undici's index adds this method to a dispatcher, and the index is not loaded.
    clientFactory: (origin, options) =>
      Object.assign(openDirect(String(origin), connectorIn(options)), { connect: tunnel }),
    factory: (origin, options) => openDirect(String(origin), connectorNamingProxy(proxy.host, connectorIn(options))),
  });
}

function connectorIn(options: object): Connector {
  return (options as { readonly connect: Connector }).connect;
}

function connectorNamingProxy(proxyHost: string, connect: Connector): Connector {
  // Each error becomes a `TransportFailure`. Otherwise undici would connect again and again to a proxy that hangs up.
  return (options, done) =>
    connect(options, (...[error, socket]) => (error ? done(proxyFailure(error, proxyHost), null) : done(null, socket)));
}

function proxyFailure(error: Error, proxyHost: string): TransportFailure {
  const code = errorCodeOf(error);
  if (certificateCodePattern.test(code)) return failureOf(error, { sent: false, host: 'the service or the proxy' });
  const status = /Proxy response \((\d+)\)/.exec(error.message)?.[1];
  if (status) {
    const message = `the proxy ${proxyHost} refused the connection (${status})`;
    return new TransportFailure('proxy', message, { sent: false, repeats: 'never' });
  }
  const message = `no connection through the proxy ${proxyHost}${code && ` (${code})`}`;
  return new TransportFailure('proxy', message, { sent: false, repeats: 'always' });
}
