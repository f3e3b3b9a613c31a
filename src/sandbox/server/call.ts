import type { IncomingMessage } from 'node:http';

export const basePath = '/api/3';

export type ReceivedRequest = NonNullable<Awaited<ReturnType<typeof readCall>>>;

/** A web page whose host name was rebound to this machine still sends its own name in `Host`. */
export function namesThisMachine({ headers, socket }: IncomingMessage): boolean {
  const [, name, port = '80'] = /^(localhost|127\.0\.0\.1|\[::1\])(?::(\d+))?$/i.exec(headers.host ?? '') ?? [];
  return name !== undefined && Number(port) === socket.localPort;
}

/** Undefined when the body is too large; throws when it is incomplete. */
export async function readCall(request: IncomingMessage) {
  const body = await readBody(request);
  if (body === undefined) return undefined;
  // The URL class would resolve `..` and re-encode; the bytes as sent are needed.
  const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(request.url ?? '') ?? [];
  const inApi = path.startsWith(`${basePath}/`);
  const { authorization, accept = '', 'content-type': contentType = '' } = request.headers;
  return {
    method: request.method ?? '',
    // Relative to the base address, if it begins with it.
    path: inApi ? path.slice(basePath.length) : path,
    inApi,
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

const mostBytes = 4 * 1024 * 1024;
/** The sender of a body that is too large must be read to this length, so that it reads the response. */
const mostIgnoredBytes = 16 * 1024 * 1024;

function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) return void chunks.push(Buffer.from(chunk));
      chunks.length = 0;
      resolve(undefined);
      if (bytes > mostIgnoredBytes) request.destroy();
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the request body is incomplete')));
  });
}
