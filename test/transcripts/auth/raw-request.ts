import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends bytes as they are and returns all that comes back until the other side closes. */
export async function sendRaw(url: URL, bytes: string): Promise<string> {
  const socket = connect(Number(url.port || 80), url.hostname.replace(/[[\]]/g, ''));
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return answer;
}

/** One GET as a browser sends it: `get(url, '/callback?code=1')`. */
export function get(url: URL, target: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return sendRaw(url, requestText(url, target, { headers }));
}

export function requestText(
  url: URL,
  target: string,
  more: { readonly method?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): string {
  const lines = Object.entries({ Host: url.host, ...more.headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${more.method ?? 'GET'} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export function statusOf(answer: string): number {
  return Number(answer.split(' ')[1]);
}
