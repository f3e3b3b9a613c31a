import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { CliError } from '../errors/cli-error.ts';
import { type ExpectedAnswer, isDenial, readRedirect } from './redirect-answer.ts';
import { type PageName, sendPage } from './redirect-page.ts';

export type Listener = Awaited<ReturnType<typeof listenForRedirect>>;

export interface ListenerOptions extends ExpectedAnswer {
  /** 0 for any free port. */
  readonly port: number;
  readonly hosts?: readonly string[];
  readonly headTimeoutMs?: number;
}

const path = '/callback';
const mostConnections = 16;

/** Listens on loopback until one redirect passes every check; throws internal when the port is taken. */
export async function listenForRedirect(options: ListenerOptions) {
  const { server, host } = await bind(options);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : options.port;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  let waiting: ServerResponse | undefined;
  let failure: PageName = 'failed';
  let over = false;
  const code = new Promise<string>((resolve, reject) => {
    server.on('request', (request, response) => {
      const refusal = over || waiting ? 'elsewhere' : refusalOf(request, authority);
      if (refusal) return sendPage(response, refusal);
      waiting = response;
      // The result page is sent after the token is stored, which may take longer than the idle timeout.
      request.socket.setTimeout(0);
      const params = new URLSearchParams(request.url?.slice(path.length + 1));
      if (isDenial(params, options)) failure = 'denied';
      try {
        resolve(readRedirect(params, options));
      } catch (error) {
        reject(error);
      }
    });
  });
  // The caller may have stopped waiting for the code: no unhandled rejection then.
  code.catch(() => undefined);
  return {
    /** An IP address, never a name that could resolve to something else. */
    redirectUrl: new URL(`http://${authority}${path}`),
    /** The code of the redirect; rejects with unauthenticated when access was denied or the redirect is invalid. */
    code,
    /** Sends the result page to the browser and closes all connections. A second call does nothing. */
    finish: async (outcome: 'signed-in' | 'failed'): Promise<void> => {
      if (over) return;
      over = true;
      if (waiting) {
        const sent = finished(waiting).catch(() => undefined);
        sendPage(waiting, outcome === 'failed' ? failure : outcome);
        await sent;
      }
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bind({ port, hosts = ['127.0.0.1', '::1'], headTimeoutMs = 2000 }: ListenerOptions) {
  for (const host of hosts) {
    const server = makeServer(headTimeoutMs);
    const fault = await listening(server, port, host);
    if (!fault) return { server, host };
    // Only an address that this machine lacks leads to the next one; a taken port is an error.
    if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(fault)) throw cannotListen(host, port, fault);
  }
  throw cannotListen(hosts.join(', '), port, 'EADDRNOTAVAIL');
}

function makeServer(headTimeoutMs: number): Server {
  const server = createServer({
    maxHeaderSize: 8192,
    headersTimeout: headTimeoutMs,
    requestTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headTimeoutMs),
  });
  server.setTimeout(headTimeoutMs);
  dropOldest(server);
  return server;
}

function dropOldest(server: Server): void {
  // Idle connections must not block the browser, so the oldest one is closed for a new one.
  const open = new Set<Socket>();
  server.on('request', ({ socket }) => open.delete(socket));
  server.on('connection', (socket) => {
    const [oldest] = open;
    if (open.size >= mostConnections) oldest?.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
}

function listening(server: Server, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ port, host, exclusive: true }, () => resolve(undefined));
  });
}

function cannotListen(host: string, port: number, fault: string): CliError {
  const reason = fault === 'EADDRINUSE' ? 'the port is in use' : fault;
  return new CliError('internal', `cannot listen on port ${port} of ${host}: ${reason}`, {
    hint: { path: 'auth login', flags: ['--callback-port', '0'] },
  });
}

/** A refusal does not end the wait, so a web page cannot spoil or steal a sign-in by guessing. */
function refusalOf(request: IncomingMessage, authority: string): PageName | undefined {
  const { headers, headersDistinct, method, url } = request;
  // The host is checked before all else. Browsers omit the default port of http.
  const own = [authority, authority.replace(/:80$/, '')];
  if (headersDistinct['host']?.length !== 1 || !own.includes(headers.host ?? '')) return 'host';
  if (url?.split('?', 1)[0] !== path) return 'elsewhere';
  if (method !== 'GET') return 'method';
  const destination = headers['sec-fetch-dest'];
  if (headers.origin !== undefined || (destination !== undefined && destination !== 'document')) return 'embedded';
  const purposes = ['purpose', 'x-purpose', 'sec-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''));
  return purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose)) ? 'prefetch' : undefined;
}
