import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}
export interface TestServer {
  /** `http://127.0.0.1:PORT/api/3` */
  readonly url: URL;
  readonly seen: readonly Seen[];
  /** Connections accepted so far. */
  connections(): number;
  close(): Promise<void>;
}

/** An HTTP server that notes every request before `answer` deals with it, and ends with its test. */
export async function serveHttp(
  answer: (request: Seen, response: http.ServerResponse, nth: number) => void,
): Promise<TestServer> {
  const seen: Seen[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const entry = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(entry);
    answer(entry, response, seen.length);
  });
  return listen(server, seen);
}

/** A server that notes the head of each connection before `answer` deals with it, and ends with its test. */
export async function serveRaw(answer: (socket: net.Socket, nth: number) => void): Promise<TestServer> {
  const seen: Seen[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      const [method = '', url = ''] = data.toString('latin1').split(' ');
      seen.push({ method, url, headers: {}, body: data.toString('latin1') });
      answer(socket, seen.length);
    });
  });
  return listen(server, seen);
}

async function listen(server: net.Server, seen: readonly Seen[]): Promise<TestServer> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { url: new URL(`http://127.0.0.1:${port}/api/3`), seen, connections: () => connections, close };
}

/** A port nobody listens on. */
export async function closedPort(): Promise<URL> {
  const server = await serveRaw(() => undefined);
  await server.close();
  return server.url;
}

/** A whole HTTP answer as bytes on the wire. */
export function wireAnswer(
  body: string,
  head: readonly string[] = [`Content-Length: ${Buffer.byteLength(body)}`],
): string {
  return ['HTTP/1.1 200 OK', 'Content-Type: application/json', ...head, '', body].join('\r\n');
}

/** Answers with JSON. */
export function json(
  response: http.ServerResponse,
  body: unknown,
  status = 200,
  headers: http.OutgoingHttpHeaders = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
