import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What an address of an application answers; undefined: the connection is closed. */
export interface Answered {
  readonly status: number;
  readonly revision?: string;
  readonly body?: string;
  readonly location?: string;
}

/** An application on a socket of its own, and the headers of all that it was asked with. */
export async function startHealth(answer: (count: number) => Answered | undefined) {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    const answered = answer(seen.length);
    if (!answered) return void request.socket.resetAndDestroy();
    const { status, revision, location, body = '' } = answered;
    response.writeHead(status, {
      ...(revision !== undefined && { 'x-revision': revision }),
      ...(location !== undefined && { location }),
    });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/up`, seen };
}
