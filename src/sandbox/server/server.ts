import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type AnswerOptions, answerRequest, catchUpState, jsonResponse, type SandboxBehaviour } from '../answer.ts';
import { randomSecret } from '../seed/made-up.ts';
import { seedState } from '../seed/seed.ts';
import type { ScenarioName, State } from '../state.ts';
import { answerStorageRequest } from '../storage.ts';
import { type ScopesByToken, scopeNames, tokenPrefix } from '../tokens.ts';
import { basePath, hasLocalHostHeader, type ReceivedRequest, readRequest } from './call.ts';
import { createFaultFinder, type Fault, faultResponse } from './faults.ts';
import { decideConsent, grantToken, showConsentPage } from './oauth.ts';

export interface SandboxOptions extends SandboxBehaviour, Pick<AnswerOptions, 'speed'> {
  /** Port to listen on. Default: 0, for any free port. */
  readonly port?: number;
  readonly now?: () => Date;
  readonly faults?: readonly Fault[];
  readonly latencyMs?: number;
  readonly state?: State;
  readonly scenario?: ScenarioName;
  /** Scopes of the generated token; default: all. */
  readonly scopes?: readonly string[] | undefined;
  /** Tokens to use instead of a generated one; the first is the `token` of the running sandbox. */
  readonly tokens?: ScopesByToken;
  readonly clientSecret?: string;
  readonly onRequest?: (request: SeenRequest) => void;
}

/** A received request; `path` is relative to the base address, or complete for the sign-in pages. */
export interface SeenRequest extends Pick<ReceivedRequest, 'method' | 'path' | 'body'> {
  /** Without the question mark. */
  readonly query: string;
  /** True if the request had a bearer token, which is not kept itself. */
  readonly bearer: boolean;
}

export type RunningSandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Serves a sandbox on 127.0.0.1, with a new state by default. Throws `usage` if it cannot listen on the port. */
export async function startSandbox(options: SandboxOptions = {}) {
  const fullOptions = withDefaults(options);
  const { now, tokens, clientSecret } = fullOptions;
  const server = createServer((request, response) => {
    // The caller has disconnected, or still sends a body that is too large, so nobody would read a response.
    serveRequest(fullOptions, request, response).catch(() => response.destroy());
  });
  server.on('clientError', answerClientError);
  const port = await listen(server, options.port ?? 0);
  return {
    url: new URL(`http://127.0.0.1:${port}${basePath}`),
    token: [...tokens.keys()][0] ?? '',
    clientSecret,
    /** Advances the state to the current time, as every request does. */
    catchUp: () => catchUpState({ ...fullOptions, now: now(), storage: storageAddressAt(port) }),
    close: () => closeServer(server),
  };
}

type FullOptions = ReturnType<typeof withDefaults>;

function withDefaults(options: SandboxOptions) {
  const { now = () => new Date(), state = seedState(now(), options.scenario) } = options;
  const { speed = 1, latencyMs = 0, clientSecret = randomSecret(), scopes = scopeNames } = options;
  const tokens: ScopesByToken = options.tokens ?? new Map([[`${tokenPrefix}${randomSecret()}`, scopes]]);
  const faultFor = createFaultFinder(options.faults ?? []);
  return { ...options, now, state, speed, latencyMs, clientSecret, tokens, faultFor };
}

async function serveRequest(options: FullOptions, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = request.headers['request-id'];
  if (!hasLocalHostHeader(request)) return sendResponse(response, misdirectedResponse, requestId);
  const receivedRequest = await readRequest(request);
  if (!receivedRequest) return sendResponse(response, tooLargeResponse, requestId);
  const { method, path, query, body, token } = receivedRequest;
  options.onRequest?.({ method, path, query: query.toString(), body, bearer: token !== undefined });
  const faultOutcome = options.faultFor(method, path);
  if (options.latencyMs > 0) await pause(options.latencyMs);
  const answer = faultResponse(faultOutcome) ?? responseOrBug(() => routeRequest(options, receivedRequest));
  if (faultOutcome === 'reset') request.socket?.resetAndDestroy();
  else sendResponse(response, answer, requestId);
}

const localOnlyText = 'the sandbox accepts requests from this machine only';
const misdirectedResponse = jsonResponse(421, { error: 'misdirected', details: localOnlyText });
const tooLargeResponse = jsonResponse(413, { error: 'too_large', details: 'the request body is larger than 4 MiB' });

function responseOrBug(respond: () => HttpResponse): HttpResponse {
  try {
    return respond();
  } catch (error) {
    // An error here is a bug. It gets a response, because without a response it would look like a network failure.
    return jsonResponse(500, { error: 'internal', details: bugText(error) });
  }
}

export function bugText(error: unknown): string {
  return `this is a bug in the sandbox: ${String(error)}`;
}

/** Header of every response, so the sandbox cannot be mistaken for the service. */
const sandboxHeader = { 'x-stackops-sandbox': '1' };

function sendResponse(response: ServerResponse, { status, headers, text }: HttpResponse, requestId: unknown): void {
  if (typeof requestId === 'string') response.setHeader('request-id', requestId);
  response.writeHead(status, { ...headers, ...sandboxHeader, 'content-length': Buffer.byteLength(text) }).end(text);
}

function answerClientError(_: Error, socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  else socket.destroy();
}

/** Listens on 127.0.0.1 and returns the port. Throws `usage` if that fails. */
export async function listen(server: Server, port: number): Promise<number> {
  const whenListening = once(server.listen(port, '127.0.0.1'), 'listening');
  await whenListening.catch((error: Error) => Promise.reject(listenError(port, error)));
  // Errors of single connections are ignored, because they must not end the process. The caller sees the failure.
  server.on('error', () => {});
  return (server.address() as AddressInfo).port;
}

function listenError(port: number, cause: Error): CliError {
  const reason = 'code' in cause && cause.code === 'EADDRINUSE' ? 'the port is in use' : cause.message;
  return new CliError('usage', `cannot listen on port ${port}: ${reason}`, { hint: { path: 'sandbox start' }, cause });
}

export async function closeServer(server: Server): Promise<void> {
  const whenClosed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await whenClosed;
}

const storagePath = '/storage';

function storageAddressAt(port: number): string {
  return `http://127.0.0.1:${port}${storagePath}`;
}

function routeRequest(options: FullOptions, request: ReceivedRequest): HttpResponse {
  const { state } = options;
  const now = options.now();
  if (request.isInApi) return answerRequest(request, { ...options, now, storage: storageAddressAt(request.port) });
  if (request.method === 'GET' && request.path.startsWith(`${storagePath}/`)) {
    const path = request.path.slice(storagePath.length);
    return answerStorageRequest(state, now, { ...request, path });
  }
  const oauthOptions = { ...options, now };
  const form = new URLSearchParams(request.body);
  switch (`${request.method} ${request.path}`) {
    case 'GET /oauth/authorize':
      return showConsentPage(oauthOptions, request.query);
    case 'POST /oauth/authorize':
      return decideConsent(oauthOptions, form);
    case 'POST /oauth/token':
      return grantToken(oauthOptions, { ...request, form });
    default:
      return jsonResponse(404, { error: 'not_found', details: `${request.method} ${request.path} not found` });
  }
}
