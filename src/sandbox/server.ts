import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { HttpAnswer } from '../contract/exchange.ts';
import { Problem } from '../problems/problem.ts';
import { answerQuestion, jsonAnswer, sandboxMark } from './answer.ts';
import { createFaultScript, type Fault, type FaultScript } from './faults.ts';
import { decideConsent, exchangeCode, showConsent } from './oauth.ts';
import { readBody } from './request-body.ts';
import { seedState } from './seed.ts';
import type { State } from './state.ts';
import { answerStorage } from './storage.ts';
import { fullToken } from './tokens.ts';

export interface SandboxOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly now?: () => Date;
  /** 10: everything asynchronous takes a tenth of its time. */
  readonly speed?: number;
  readonly faults?: readonly Fault[];
  /** Delay before every answer. */
  readonly latencyMs?: number;
  readonly state?: State;
}

/** A request as it came; `path` is relative to the base address, or whole for the sign-in pages. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  readonly body: string;
  /** Whether it carried a bearer token; the token itself is not kept. */
  readonly bearer: boolean;
}

export interface RunningSandbox {
  /** Base address, ending in `/api/3`. */
  readonly url: URL;
  /** A token with every scope. */
  readonly token: string;
  readonly requests: readonly SeenRequest[];
  close(): Promise<void>;
}

const basePath = '/api/3';
const storagePath = '/storage';

/** Serves a sandbox on 127.0.0.1 only, from the seed unless a state is given; throws usage when the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<RunningSandbox> {
  const requests: SeenRequest[] = [];
  const stage: Stage = {
    state: options.state ?? seedState(),
    now: options.now ?? (() => new Date()),
    speed: options.speed ?? 1,
    latencyMs: options.latencyMs ?? 0,
    faultFor: createFaultScript(options.faults ?? []),
    seen: (request) => requests.push(request),
  };
  const server = createServer((request, response) => void serve(stage, request, response));
  const port = await listen(server, options.port ?? 0);
  return {
    url: new URL(`http://127.0.0.1:${port}${basePath}`),
    token: fullToken,
    requests,
    close: () => close(server),
  };
}

interface Stage {
  readonly state: State;
  readonly now: () => Date;
  readonly speed: number;
  readonly latencyMs: number;
  readonly faultFor: FaultScript;
  seen(request: SeenRequest): void;
}

async function serve(stage: Stage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const call = await readCall(request);
    stage.seen({
      method: call.method,
      path: call.path,
      query: call.query.toString(),
      body: call.body,
      bearer: call.token !== undefined,
    });
    const outcome = stage.faultFor(call.method, call.path);
    if (stage.latencyMs > 0) await pause(stage.latencyMs);
    const answer = typeof outcome === 'number' ? faultAnswer(outcome) : attempt(stage, call);
    if (outcome === 'reset') request.socket.resetAndDestroy();
    else send(response, answer, request.headers['request-id']);
  } catch {
    // The caller went away or sent too much; there is nobody left to answer.
    request.socket.destroy();
  }
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly inApi: boolean;
  readonly host: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly token: string | undefined;
  readonly authorized: boolean;
  readonly contentType: string;
  readonly accept: string;
}

async function readCall(request: IncomingMessage): Promise<Call> {
  const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
  const inApi = path.startsWith(`${basePath}/`);
  return {
    method: request.method ?? '',
    path: inApi ? path.slice(basePath.length) : path,
    inApi,
    host: `127.0.0.1:${request.socket.localPort}`,
    query: new URLSearchParams(query),
    body: await readBody(request),
    token: /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1],
    authorized: request.headers.authorization !== undefined,
    contentType: request.headers['content-type'] ?? '',
    accept: request.headers.accept ?? '',
  };
}

/** Not by the URL class, which would resolve `..` and re-encode: the bytes that were sent are what counts. */
function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** A bug in a handler is an answer too: silence would look like a fault of the network. */
function attempt(stage: Stage, call: Call): HttpAnswer {
  try {
    return route(stage, call);
  } catch (error) {
    return jsonAnswer(500, { error: 'internal', details: `this is a bug in the sandbox: ${String(error)}` });
  }
}

function route(stage: Stage, call: Call): HttpAnswer {
  const { state, speed } = stage;
  const now = stage.now();
  if (call.inApi) return answerQuestion(call, { state, now, speed, storage: `http://${call.host}${storagePath}` });
  if (call.method === 'GET' && call.path.startsWith(`${storagePath}/`)) {
    return answerStorage({ state, now }, { ...call, path: call.path.slice(storagePath.length) });
  }
  const form = new URLSearchParams(call.body);
  switch (`${call.method} ${call.path}`) {
    case 'GET /oauth/authorize':
      return showConsent({ state, now }, call.query);
    case 'POST /oauth/authorize':
      return decideConsent({ state, now }, form);
    case 'POST /oauth/token':
      return exchangeCode({ state, now }, { form, contentType: call.contentType, accept: call.accept });
    default:
      return jsonAnswer(404, { error: 'not_found', details: `there is no ${call.method} ${call.path}` });
  }
}

function faultAnswer(status: number): HttpAnswer {
  return jsonAnswer(status, { error: 'sandbox_fault', details: `the sandbox was told to answer ${status}` });
}

function send(response: ServerResponse, { status, headers, text }: HttpAnswer, requestId: unknown): void {
  const echo = typeof requestId === 'string' ? { 'request-id': requestId } : {};
  response.writeHead(status, { ...headers, ...sandboxMark, ...echo, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(port, error)));
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

function cannotListen(port: number, cause: Error): Problem {
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
  const reason = isTaken ? 'another program uses it' : cause.message;
  return new Problem('usage', `cannot serve on port ${port}: ${reason}`, { hint: 'stackops sandbox start', cause });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
