import type { IncomingMessage } from 'node:http';

export const basePath = '/api/3';

export type ReceivedRequest = NonNullable<Awaited<ReturnType<typeof readRequest>>>;

/** True if `Host` names this machine. With DNS rebinding, a web page on another host sends the name of that host. */
export function hasLocalHostHeader({ headers, socket }: IncomingMessage): boolean {
  const [, name, port = '80'] = /^(localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/i.exec(headers.host ?? '') ?? [];
  return name !== undefined && Number(port) === socket.localPort;
}

/** Reads a request. Returns undefined if the body is too large, and throws if it is incomplete. */
export async function readRequest(request: IncomingMessage) {
  const body = await readBody(request);
  if (body === undefined) return undefined;
  // The URL class is not used, because it would resolve `..` and change the encoding.
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(request.url ?? '') ?? [];
  const isInApi = path.startsWith(`${basePath}/`);
  const { authorization, accept = '', 'content-type': contentType = '' } = request.headers;
  return {
    method: request.method ?? '',
    // The path of an API request is relative to the base address. Any other path is complete.
    path: isInApi ? path.slice(basePath.length) : path,
    isInApi,
    port: request.socket.localPort ?? 0,
    query: new URLSearchParams(query),
    body,
    token: /^Bearer (.+)$/.exec(authorization ?? '')?.[1],
    authorization,
    account: request.headers['x-account']?.toString(),
    contentType,
    accept,
  };
}

const maxBodyBytes = 4 * 1024 * 1024;
/** Size up to which a too large body is still read: a client reads the response only after it has sent the body. */
const maxIgnoredBytes = 16 * 1024 * 1024;

function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
      if (receivedBytes <= maxBodyBytes) return void chunks.push(Buffer.from(chunk));
      chunks.length = 0;
      resolve(undefined);
      if (receivedBytes > maxIgnoredBytes) request.destroy();
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the request body is incomplete')));
  });
}
