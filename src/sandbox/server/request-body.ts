import type { IncomingMessage } from 'node:http';

const mostBytes = 4 * 1024 * 1024;
/** How much of a too large body is read, so that its sender reads the response; a larger one is cut off. */
const mostIgnoredBytes = 16 * 1024 * 1024;

/** The body as UTF-8 text; undefined when larger than 4 MiB; rejects when incomplete. */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
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
