import { hash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { CliError } from '../errors/cli-error.ts';
import { signInError } from './token.ts';
import { refusalError, type ScopeSeparator } from './token-reply.ts';

export type RedirectListener = Awaited<ReturnType<typeof listenForRedirect>>;

export interface ListenerOptions extends ExpectedRedirect {
  /** 0 for any free port. */
  readonly port: number;
  readonly hosts?: readonly string[];
  readonly headTimeoutMs?: number;
}

const callbackPath = '/callback';
const maxIdleConnections = 16;

/** Starts to listen on loopback for the redirect of a sign-in. Throws `internal` when the port cannot be used. */
export async function listenForRedirect(options: ListenerOptions) {
  const { server, host } = await bind(options);
  const { port } = server.address() as AddressInfo;
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  let browserResponse: ServerResponse | undefined;
  let failurePage: PageName = 'failed';
  let isFinished = false;
  const whenRedirected = new Promise<URLSearchParams>((resolve) => {
    server.on('request', (request, response) => {
      const refusalPage = isFinished || browserResponse ? 'elsewhere' : findRefusalPage(request, authority);
      if (refusalPage) return sendPage(response, refusalPage);
      browserResponse = response;
      // The result page is sent after the token is stored, and that may take long, so this connection has no timeout.
      request.socket.setTimeout(0);
      const params = new URLSearchParams(request.url?.slice(callbackPath.length + 1));
      if (isDenial(params, options)) failurePage = 'denied';
      resolve(params);
    });
  });
  const code = whenRedirected.then((params) => readRedirect(params, options));
  // This promise may reject after the caller has stopped waiting, so an empty handler keeps the process running.
  code.catch(() => undefined);
  return {
    /** The address to redirect to. Its host is an IP address, because a name could resolve to another machine. */
    redirectUrl: new URL(`http://${authority}${callbackPath}`),
    /** The code of the redirect. Rejects with `unauthenticated` if access was denied or the redirect is invalid. */
    code,
    /** Sends the result page to the browser and closes all connections. A second call does nothing. */
    finish: async (outcome: 'signed-in' | 'failed'): Promise<void> => {
      if (isFinished) return;
      isFinished = true;
      if (browserResponse) {
        const pageSent = finished(browserResponse).catch(() => undefined);
        sendPage(browserResponse, outcome === 'failed' ? failurePage : outcome);
        await pageSent;
      }
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bind({ port, hosts = ['127.0.0.1', '::1'], headTimeoutMs = 2000 }: ListenerOptions) {
  for (const host of hosts) {
    const server = makeServer(headTimeoutMs);
    const fault = await startListening(server, port, host);
    if (!fault) return { server, host };
    // The next host is tried only if this machine has no such address. A port in use is an error.
    if (!['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes(fault)) throw cannotListenError(host, port, fault);
  }
  throw cannotListenError(hosts.join(', '), port, 'EADDRNOTAVAIL');
}

function makeServer(headTimeoutMs: number): Server {
  const server = createServer({
    maxHeaderSize: 8192,
    headersTimeout: headTimeoutMs,
    requestTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headTimeoutMs),
  });
  server.setTimeout(headTimeoutMs);
  // Idle connections must not block the browser, so a new connection closes the oldest idle one.
  const idleSockets = new Set<Socket>();
  server.on('request', ({ socket }) => idleSockets.delete(socket));
  server.on('connection', (socket) => {
    const [oldest] = idleSockets;
    if (idleSockets.size >= maxIdleConnections) oldest?.destroy();
    idleSockets.add(socket);
    socket.once('close', () => idleSockets.delete(socket));
  });
  return server;
}

function startListening(server: Server, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ port, host, exclusive: true }, () => resolve(undefined));
  });
}

function cannotListenError(host: string, port: number, fault: string): CliError {
  const reason = fault === 'EADDRINUSE' ? 'the port is in use' : fault;
  return new CliError('internal', `cannot listen on port ${port} of ${host}: ${reason}`, {
    hint: { path: 'auth login', flags: ['--callback-port', '0'] },
  });
}

/** Returns a page to refuse the request; undefined for a redirect. We wait on: other pages must not spoil a sign-in. */
function findRefusalPage(request: IncomingMessage, authority: string): PageName | undefined {
  const { headers, headersDistinct, method, url } = request;
  // Browsers omit port 80, the default of http, so the host without the port is accepted, too.
  const ownHosts = [authority, authority.replace(/:80$/, '')];
  if (headersDistinct['host']?.length !== 1 || !ownHosts.includes(headers.host ?? '')) return 'host';
  if (url?.split('?', 1)[0] !== callbackPath) return 'elsewhere';
  if (method !== 'GET') return 'method';
  const destination = headers['sec-fetch-dest'];
  if (headers.origin !== undefined || (destination !== undefined && destination !== 'document')) return 'embedded';
  const purposes = ['purpose', 'x-purpose', 'sec-purpose', 'x-moz'].map((name) => String(headers[name] ?? ''));
  return purposes.some((purpose) => /prefetch|prerender|preview/i.test(purpose)) ? 'prefetch' : undefined;
}

/** The state that a redirect must have, and the sign-in service that it must come from. The separator is for hints. */
export interface ExpectedRedirect {
  readonly state: string;
  readonly issuer: URL;
  readonly scopeSeparator: ScopeSeparator;
}

function readRedirect(params: URLSearchParams, expectedRedirect: ExpectedRedirect): string {
  const hasRepeatedParameter = ['code', 'state', 'error', 'iss'].some((name) => params.getAll(name).length > 1);
  if (hasRepeatedParameter) throw signInError('the browser returned a parameter twice');
  if (!equalsInConstantTime(params.get('state') ?? '', expectedRedirect.state)) {
    throw signInError('the browser returned the wrong state; the redirect may come from someone else');
  }
  const issuer = params.get('iss');
  if (issuer !== null && !(URL.canParse(issuer) && new URL(issuer).origin === expectedRedirect.issuer.origin)) {
    throw signInError('the browser returned from another sign-in service');
  }
  const error = params.get('error');
  if (error === 'access_denied') throw signInError('sign-in was denied in the browser');
  if (error !== null) throw refusalError(error, params.get('error_description'), expectedRedirect.scopeSeparator);
  const code = params.get('code');
  if (!code) throw signInError('the browser returned no code');
  return code;
}

function isDenial(params: URLSearchParams, { state }: ExpectedRedirect): boolean {
  return equalsInConstantTime(params.get('state') ?? '', state) && params.get('error') === 'access_denied';
}

/** Returns the code in a pasted line, which holds the whole redirect address, its query, or the code alone. */
export function codeInPastedLine(line: string, expectedRedirect: ExpectedRedirect): string {
  const text = line.trim();
  if (/^[\x21-\x7e]{1,2048}$/.test(text) && !/:\/\/|\?|(^|&)(code|error|state)=/.test(text)) return text;
  if (!text.includes('=')) throw signInError('what was pasted is neither the address of the redirect nor a code');
  const query = text.includes('?') ? text.slice(text.indexOf('?') + 1) : text;
  return readRedirect(new URLSearchParams(query.replace(/#.*$/s, '')), expectedRedirect);
}

function equalsInConstantTime(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const strayRequestText = 'This address only completes a sign-in that stackops auth login has started.';

const pages = {
  'signed-in': {
    status: 200,
    title: 'Signed in',
    text: 'You are signed in. You can close this window and return to the terminal.',
  },
  denied: {
    status: 400,
    title: 'Access denied',
    text: 'You are not signed in, because access was denied. To try again, run stackops auth login in the terminal.',
  },
  failed: { status: 400, title: 'Sign-in failed', text: 'You are not signed in. Return to the terminal to see why.' },
  elsewhere: { status: 404, title: 'Not found', text: strayRequestText },
  method: { status: 405, title: 'Method not allowed', text: strayRequestText },
  host: { status: 421, title: 'Wrong address', text: strayRequestText },
  embedded: { status: 403, title: 'Not allowed', text: strayRequestText },
  prefetch: { status: 503, title: 'Not available yet', text: strayRequestText },
} as const;
type PageName = keyof typeof pages;

const pageStyle = [
  ':root{color-scheme:light dark}',
  'body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:12vh auto 0;padding:0 1.25rem}',
  'main{border:1px solid color-mix(in srgb,currentColor 25%,transparent);border-radius:.75rem;padding:1.5rem}',
  'h1{font-size:1.4rem;margin:0 0 .5rem}p{margin:0}',
].join('');
const contentPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', pageStyle, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Sends a constant page, which contains nothing from the request or the service. */
function sendPage(response: ServerResponse, name: PageName): void {
  const { status, title, text } = pages[name];
  const page = Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} - stackops</title><style>${pageStyle}</style></head>
<body><main><h1>${title}</h1><p>${text}</p></main></body></html>
`);
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': page.length,
    'Content-Security-Policy': contentPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    Connection: 'close',
    ...(name === 'method' && { Allow: 'GET' }),
  });
  response.end(page);
}
