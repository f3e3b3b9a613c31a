import type { IncomingMessage } from 'node:http';

const mostBytes = 4 * 1024 * 1024;

/** The whole body as UTF-8 text; throws when it is larger than 4 MiB or breaks off. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > mostBytes) throw new RangeError(`a body of more than ${mostBytes} bytes`);
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}
