import type { IncomingMessage } from 'node:http';

const mostBytes = 4 * 1024 * 1024;
/** What is read of a body that is too large, so that its sender can hear so; whoever sends more is cut off. */
const mostIgnoredBytes = 16 * 1024 * 1024;

/** The whole body as UTF-8 text, undefined when it is larger than 4 MiB; throws when it breaks off or goes on and on. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > mostIgnoredBytes) throw new RangeError(`a body of more than ${mostIgnoredBytes} bytes`);
    if (bytes > mostBytes) chunks.length = 0;
    else chunks.push(part);
  }
  return bytes > mostBytes ? undefined : Buffer.concat(chunks).toString('utf8');
}
