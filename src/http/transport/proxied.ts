import type { buildConnector, Dispatcher } from 'undici';
import { TransportFailure } from '../../contract/exchange.ts';
import { codeOf, failureOf, isCertificateCode } from './failure.ts';

type Connector = buildConnector.connector;
export type OpenDirectConnection = (origin: string, connect?: Connector) => Dispatcher;

export async function openProxied(
  proxy: URL,
  connecting: { readonly timeout: number; readonly signal: AbortSignal },
  direct: OpenDirectConnection,
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
