import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpResponse } from '../../contract/exchange.ts';
import { CliError } from '../../errors/cli-error.ts';
import { answerQuestion, type Behaviour, catchUp, jsonAnswer } from '../answer.ts';
import { randomSecret } from '../seed/made-up.ts';
import { seedState } from '../seed/seed.ts';
import type { ScenarioName, State } from '../state.ts';
import { answerStorage } from '../storage.ts';
import { scopeNames, type Tokens, tokenPrefix } from '../tokens.ts';
import { basePath, namesThisMachine, type ReceivedRequest, readCall } from './call.ts';
import { createFaultScript, type Fault, faultAnswer } from './faults.ts';
import { decideConsent, grantToken, showConsent } from './oauth.ts';

export interface SandboxOptions extends Behaviour {
  /** 0 (default): any free port. */
  readonly port?: number;
  readonly now?: () => Date;
  /** 10: actions and deployments take a tenth of their time. */
  readonly speed?: number;
  readonly faults?: readonly Fault[];
  readonly latencyMs?: number;
  readonly state?: State;
  readonly scenario?: ScenarioName;
  /** Scopes of the generated token; default: all. */
  readonly scopes?: readonly string[];
  /** Tokens to use instead of a generated one; the first is the `token` of the running sandbox. */
  readonly tokens?: Tokens;
  readonly clientSecret?: string;
  readonly onRequest?: (request: SeenRequest) => void;
}

/** A received request; `path` is relative to the base address, or complete for the sign-in pages. */
export interface SeenRequest extends Pick<ReceivedRequest, 'method' | 'path' | 'body'> {
  /** Without the question mark. */
  readonly query: string;
  /** True with a bearer token; the token itself is not stored. */
  readonly bearer: boolean;
}

export type RunningSandbox = Awaited<ReturnType<typeof startSandbox>>;

/** Serves a sandbox on 127.0.0.1, with a new state by default. Throws usage if the port is in use. */
export async function startSandbox(options: SandboxOptions = {}) {
  const stage = stageOf(options);
  const { now, tokens, clientSecret } = stage;
  const server = createServer((request, response) => {
    // The response cannot be received: the caller has disconnected, or sends too much.
    serve(stage, request, response).catch(() => response.destroy());
  });
  server.on('clientError', refuseNoise);
  const port = await listen(server, options.port ?? 0);
  return {
    url: new URL(`http://127.0.0.1:${port}${basePath}`),
    token: [...tokens.keys()][0] ?? '',
    clientSecret,
    /** Advances the state to the present, as every request does. */
    catchUp: () => catchUp({ ...stage, now: now(), storage: storageAt(port) }),
    close: () => close(server),
  };
}

type Stage = ReturnType<typeof stageOf>;

function stageOf(options: SandboxOptions) {
  const { now = () => new Date(), state = seedState(now(), options.scenario) } = options;
  const { speed = 1, latencyMs = 0, clientSecret = randomSecret(), scopes = scopeNames } = options;
  const tokens: Tokens = options.tokens ?? new Map([[`${tokenPrefix}${randomSecret()}`, scopes]]);
  const faultFor = createFaultScript(options.faults ?? []);
  return { ...options, now, state, speed, latencyMs, clientSecret, tokens, faultFor };
}

async function serve(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = request.headers['request-id'];
  if (!namesThisMachine(request)) return send(response, misdirectedAnswer, requestId);
  const call = await readCall(request);
  if (!call) return send(response, tooLarge, requestId);
  const { method, path, query, body, token } = call;
  stage.onRequest?.({ method, path, query: query.toString(), body, bearer: token !== undefined });
  const fault = stage.faultFor(method, path);
  if (stage.latencyMs > 0) await pause(stage.latencyMs);
  const answer = faultAnswer(fault) ?? attempt(() => routeCall(stage, call));
  if (fault === 'reset') request.socket?.resetAndDestroy();
  else send(response, answer, requestId);
}

const misdirectedAnswer = jsonAnswer(421, {
  error: 'misdirected',
  details: 'the sandbox accepts requests from this machine only',
});
const tooLarge = jsonAnswer(413, { error: 'too_large', details: 'the request body is larger than 4 MiB' });

function attempt(route: () => HttpResponse): HttpResponse {
  try {
    return route();
  } catch (error) {
    // Without a response this would look like a network failure.
    return jsonAnswer(500, { error: 'internal', details: bugText(error) });
  }
}

export function bugText(error: unknown): string {
  return `this is a bug in the sandbox: ${String(error)}`;
}

/** Sent with every response, so the sandbox cannot be mistaken for the service. */
const sandboxMark = { 'x-stackops-sandbox': '1' };

function send(response: ServerResponse, { status, headers, text }: HttpResponse, requestId: unknown): void {
  const echo = typeof requestId === 'string' ? { 'request-id': requestId } : {};
  response.writeHead(status, { ...headers, ...sandboxMark, ...echo, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function refuseNoise(_: Error, socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  else socket.destroy();
}

/** Listens on 127.0.0.1 and returns the port. Throws usage if it is in use. */
export async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  // A failed connection must not stop the server; its caller sees the failure.
  server.on('error', () => {});
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function cannotListen(port: number, cause: Error): CliError {
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
  const reason = isTaken ? 'the port is in use' : cause.message;
  return new CliError('usage', `cannot listen on port ${port}: ${reason}`, { hint: { path: 'sandbox start' }, cause });
}

export async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

const storagePath = '/storage';

function storageAt(port: number): string {
  return `http://127.0.0.1:${port}${storagePath}`;
}

function routeCall(stage: Stage, call: ReceivedRequest): HttpResponse {
  const { state } = stage;
  const now = stage.now();
  if (call.inApi) return answerQuestion(call, { ...stage, now, storage: storageAt(call.port) });
  if (call.method === 'GET' && call.path.startsWith(`${storagePath}/`)) {
    const authorized = call.authorization !== undefined;
    return answerStorage({ state, now }, { ...call, authorized, path: call.path.slice(storagePath.length) });
  }
  const signIn = { ...stage, now };
  const form = new URLSearchParams(call.body);
  switch (`${call.method} ${call.path}`) {
    case 'GET /oauth/authorize':
      return showConsent(signIn, call.query);
    case 'POST /oauth/authorize':
      return decideConsent(signIn, form);
    case 'POST /oauth/token':
      return grantToken(signIn, { ...call, form });
    default:
      return jsonAnswer(404, { error: 'not_found', details: `${call.method} ${call.path} not found` });
  }
}
