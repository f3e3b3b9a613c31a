import type { buildConnector, Dispatcher } from 'undici';
import { codeOf, failureOf, isCertificateCode, TransportFailure } from './failure.ts';

type Connector = buildConnector.connector | undefined;
/** Makes one dispatcher for one origin. */
export type OpenDirect = (origin: string, connect: Connector) => Dispatcher;

/** A dispatcher that tunnels through the proxy. */
export async function openProxied(
  proxy: URL,
  connecting: { readonly timeout: number; readonly signal: AbortSignal },
  direct: OpenDirect,
): Promise<Dispatcher> {
  const [{ default: EnvHttpProxyAgent }, { default: tunnel }] = await Promise.all([
    import('undici/lib/dispatcher/env-http-proxy-agent.js'),
    import('undici/lib/api/api-connect.js'),
  ]);
  return new EnvHttpProxyAgent({
    httpProxy: proxy.href,
    httpsProxy: proxy.href,
    // `no_proxy` is judged in `chooseProxy`; without this undici reads it again.
    noProxy: '',
    proxyTls: connecting,
    requestTls: connecting,
    // undici's index adds this method to every dispatcher; its single modules do not.
    clientFactory: (origin, options) =>
      Object.assign(direct(String(origin), connectorIn(options)), { connect: tunnel }),
    factory: (origin, options) => direct(String(origin), namingProxy(proxy.host, connectorIn(options))),
  });
}

function connectorIn(options: object): Connector {
  return 'connect' in options && isConnector(options.connect) ? options.connect : undefined;
}

function isConnector(connect: unknown): connect is buildConnector.connector {
  return typeof connect === 'function';
}

/** Without this a proxy that hangs up makes undici connect to it again and again until the attempt times out. */
function namingProxy(proxyHost: string, connect: Connector): Connector {
  if (!connect) return undefined;
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
