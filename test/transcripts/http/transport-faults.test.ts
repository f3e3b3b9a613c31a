import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { TransportFailure } from '../../../src/contract/exchange.ts';
import { holdTime } from '../../support/held-time.ts';
import { serveHttp, serveRaw, wireAnswer } from './servers.ts';
import { failureFrom, get, never, openTo, post, summaryOf } from './transports.ts';

describe('after the request was sent', () => {
  test.each<[string, string, Partial<TransportFailure>]>([
    ['closed without a byte', '', { reason: 'reset', repeats: 'always', status: undefined }],
    ['closed in the headers', 'HTTP/1.1 200 OK\r\nContent-', { reason: 'reset', repeats: 'always' }],
    [
      'a body shorter than its length',
      wireAnswer('{}', ['Content-Length: 9']),
      { reason: 'reset', repeats: 'always', status: 200 },
    ],
    [
      'chunks cut short',
      wireAnswer('5\r\n{"a"', ['Transfer-Encoding: chunked']),
      { reason: 'reset', repeats: 'always', status: 200 },
    ],
    ['a broken chunk', wireAnswer('zz\r\n', ['Transfer-Encoding: chunked']), { reason: 'protocol', repeats: 'once' }],
    ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n\r\n', { reason: 'protocol', repeats: 'once' }],
    ['too many headers', wireAnswer('{}', [`X: ${'a'.repeat(100_000)}`]), { reason: 'protocol', repeats: 'once' }],
    [
      'compressed',
      wireAnswer('x', ['Content-Encoding: gzip', 'Content-Length: 1']),
      { reason: 'encoded', repeats: 'never' },
    ],
    [
      'a length beyond the limit',
      wireAnswer('', [`Content-Length: ${64 * 1024 * 1024 + 1}`]),
      { reason: 'too_large', repeats: 'never' },
    ],
    ['not UTF-8', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"\xff"', { reason: 'protocol', repeats: 'never' }],
  ])('%s', async (_, bytes, expected) => {
    const server = await serveRaw((socket) => socket.end(Buffer.from(bytes, 'latin1')));
    const send = await openTo(server);
    for (const request of [get, post]) {
      expect(await failureFrom(send(request, undefined, never))).toMatchObject({ ...expected, sent: true });
    }
    expect(server.seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test('reset', async () => {
    const server = await serveRaw((socket) => socket.resetAndDestroy());
    const send = await openTo(server);
    expect(await failureFrom(send(post, undefined, never))).toMatchObject({ reason: 'reset', sent: true });
    expect(server.seen).toHaveLength(1);
  });

  test('an error body beyond its limit', async () => {
    const server = await serveHttp((_, response) => response.writeHead(500).end('x'.repeat(1024 * 1024 + 1)));
    expect(await failureFrom((await openTo(server))(get, undefined, never))).toMatchObject({
      reason: 'too_large',
      message: 'the response is larger than 1 MiB',
      status: 500,
    });
  });

  test('a gzip bomb is refused by its header', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    const server = await serveHttp((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    expect(await failureFrom((await openTo(server))(get, undefined, never))).toMatchObject({ reason: 'encoded' });
  });

  test('headers that never come', async () => {
    const time = holdTime();
    const server = await serveRaw(() => time.passes(50));
    const send = await openTo(server, { headersTimeoutMs: 50 });
    expect(summaryOf(await failureFrom(send(post, undefined, never)))).toEqual({
      reason: 'timeout',
      sent: true,
      retryable: true,
      message: `${server.url.host} did not respond within 0.05 s`,
    });
  });

  test('a body that trickles is cut at the end of the attempt', async () => {
    const time = holdTime();
    const trickle = async (response: ServerResponse) => {
      const running = time.running();
      response.writeHead(200);
      // The time-out of the headers ends when they have come, and only then.
      while (time.running() === running) {
        response.write(' ');
        await new Promise(setImmediate);
      }
      time.passes(400);
    };
    const server = await serveHttp((_, response) => void trickle(response));
    const send = await openTo(server, { headersTimeoutMs: 2_000, attemptTimeoutMs: 400 });
    expect(await failureFrom(send(get, undefined, never))).toMatchObject({
      reason: 'timeout',
      sent: true,
      status: 200,
    });
  });

  test('stopped by the operator', async () => {
    const stop = new AbortController();
    const server = await serveRaw(() => stop.abort());
    expect(await failureFrom((await openTo(server))(post, undefined, stop.signal))).toMatchObject({
      reason: 'aborted',
      sent: true,
    });
  });

  test('an unframed answer is complete when the connection ends', async () => {
    const server = await serveRaw((socket) => socket.end(wireAnswer('{"a":1}', ['Connection: close'])));
    expect((await (await openTo(server))(get, undefined, never)).text).toBe('{"a":1}');
  });
});
