import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a hand-written service saw of one request. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

export interface Service {
  /** Ends with the version segment, as operators give it. */
  readonly url: string;
  /** How a program reaches it. */
  readonly env: Readonly<Record<'STACKOPS_BASE_URL' | 'STACKOPS_TOKEN', string>>;
  readonly seen: Seen[];
  close(): Promise<void>;
}

export type Answer = (seen: Seen, response: ServerResponse) => unknown;

/** A service over a real socket that ends with its test; it knows nothing of the program it serves. */
export async function startService(answer: Answer): Promise<Service> {
  const service = await listen(answer);
  onTestFinished(service.close);
  return service;
}

/** The same for several tests: the caller closes it. */
export async function listen(answer: Answer): Promise<Service> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void readRequest(request).then((one) => {
      seen.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/api/3`;
  return {
    url,
    env: { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token-of-the-test' },
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `GET /users/7 {"id":7}`, `PUT /users/7?a=b 400 {"error":"no"}`, `GET /users reset`. */
const replyLine = /^([A-Z]+) (\S+) (?:(\d{3}|reset)(?: |$))?(.*)$/;

export function isReply(line: string): boolean {
  return replyLine.test(line);
}

/** A service of lines of replies: of several for one request each is sent once, and the last for good. Others are 404. */
export function startReplies(lines: readonly string[]): Promise<Service> {
  const replies = new Map<string, { readonly status: string; readonly text: string }[]>();
  for (const line of lines) {
    const [, method = '', path = '', status = '200', text = ''] = replyLine.exec(line) ?? [];
    const request = `${method} ${path}`;
    replies.set(request, [...(replies.get(request) ?? []), { status, text }]);
  }
  return startService(({ method, path, query }, response) => {
    const left = replies.get(`${method} ${path}?${query}`) ?? replies.get(`${method} ${path}`) ?? [];
    const { status, text } = (left.length > 1 ? left.shift() : left[0]) ?? {
      status: '404',
      text: '{"error":"not_found"}',
    };
    if (status === 'reset') response.destroy();
    else response.writeHead(Number(status), { 'content-type': 'application/json' }).end(text);
  });
}

async function readRequest(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  return {
    method: request.method ?? '',
    path: url.pathname.replace(/^\/api\/3/, ''),
    query: url.search.slice(1),
    authorization: request.headers.authorization,
    body: bodyOf(text, request.headers['content-type'] ?? ''),
  };
}

function bodyOf(text: string, type: string): unknown {
  if (text === '') return undefined;
  return type.includes('form') ? text : JSON.parse(text);
}

/** Sends JSON with a status. */
export function reply(response: ServerResponse, value: unknown, status = 200): void {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
