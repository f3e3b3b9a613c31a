import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate, key } from './certificate.ts';
import { openTransport } from './clients.ts';
import { closedPort, json, serveHttp, serveRaw } from './servers.ts';
import { failureFrom, get, never, openTo, post, summaryOf } from './transports.ts';

describe('a request', () => {
  test('carries what the service needs and nothing else', async () => {
    const server = await serveHttp((_, response) => json(response, { ok: true }, 201, { 'X-Thing': ['a', 'b'] }));
    const send = await openTo(server);
    const answer = await send({ ...post, id: 'id-1', query: new URLSearchParams({ q: 'ü &' }) }, 'secret', never);
    expect(answer).toMatchObject({ status: 201, text: '{"ok":true}' });
    expect(answer.headers['x-thing']).toBe('a, b');
    expect(server.seen).toMatchObject([{ method: 'POST', url: '/api/3/x?q=%C3%BC+%26', body: '{"a":1}' }]);
    expect(server.seen[0]?.headers).toEqual({
      host: server.url.host,
      connection: 'close',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'stackops/0.0.0 (linux; 20)',
      'request-id': 'id-1',
      'content-type': 'application/json',
      'content-length': '7',
      authorization: 'Bearer secret',
    });
  });

  test('without token and body has neither header', async () => {
    const server = await serveHttp((_, response) => json(response, {}));
    await (await openTo(server))(get, undefined, never);
    const headers = Object.keys(server.seen[0]?.headers ?? {});
    expect(headers).toEqual(['host', 'connection', 'accept', 'accept-encoding', 'user-agent']);
  });

  test('reads share a connection, every write opens its own', async () => {
    const server = await serveHttp((_, response) => json(response, {}));
    const send = await openTo(server);
    for (const request of [get, get, get]) await send(request, undefined, never);
    expect(server.connections()).toBe(1);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) await send({ ...post, method }, undefined, never);
    expect(server.connections()).toBe(5);
  });

  test('redirects are handed back, not followed', async () => {
    const other = await serveHttp((_, response) => json(response, {}));
    const server = await serveHttp((_, response) => json(response, {}, 302, { location: other.url.href }));
    expect((await (await openTo(server))(get, 'secret', never)).status).toBe(302);
    expect(other.connections()).toBe(0);
  });
});

describe('before the request is sent', () => {
  test('refused', async () => {
    const url = await closedPort();
    const send = await openTo({ url });
    for (const request of [get, post]) {
      expect(summaryOf(await failureFrom(send(request, undefined, never)))).toEqual({
        reason: 'refused',
        sent: false,
        retryable: true,
        message: `cannot connect to ${url.host} (ECONNREFUSED)`,
      });
    }
  });

  test('no such host', async () => {
    const send = await openTo({ url: new URL('http://nowhere.invalid/api/3') });
    const failure = await failureFrom(send(post, undefined, never));
    expect(summaryOf(failure)).toMatchObject({ reason: 'dns', sent: false, retryable: true });
    expect(failure.message).toContain('nowhere.invalid');
  });

  test('a TLS handshake that never ends', async () => {
    const server = await serveRaw(() => undefined);
    const url = new URL(server.url.href.replace('http:', 'https:'));
    const send = await openTo({ url }, { connectTimeoutMs: 100 });
    expect(summaryOf(await failureFrom(send(post, undefined, never)))).toEqual({
      reason: 'connect_timeout',
      sent: false,
      retryable: true,
      message: `connecting to ${url.host} timed out (UND_ERR_CONNECT_TIMEOUT)`,
    });
  });

  test('TLS spoken to a plain port', async () => {
    const server = await serveHttp((_, response) => json(response, {}));
    const send = await openTo({ url: new URL(server.url.href.replace('http:', 'https:')) });
    expect(summaryOf(await failureFrom(send(post, undefined, never)))).toMatchObject({
      reason: 'tls',
      sent: false,
      retryable: false,
    });
  });

  test('a certificate nobody vouches for', async () => {
    const server = tls.createServer({ key, cert: certificate }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const send = await openTo({ url: new URL(`https://localhost:${(server.address() as AddressInfo).port}/api/3`) });
    const failure = await failureFrom(send(post, 'secret', never));
    expect(summaryOf(failure)).toMatchObject({ reason: 'certificate', sent: false, retryable: false });
    expect(failure.message).toMatch(/^the certificate of localhost:\d+ is not/);
  });

  test('certificate checks cannot be switched off', async () => {
    const url = new URL('https://api.example/api/3');
    await expect(openTransport(url, { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } })).rejects.toMatchObject({
      kind: 'usage',
      details: { hint: 'unset NODE_TLS_REJECT_UNAUTHORIZED' },
    });
  });

  test('stopped before it started', async () => {
    const server = await serveHttp((_, response) => json(response, {}));
    const send = await openTo(server);
    expect(summaryOf(await failureFrom(send(post, undefined, AbortSignal.abort())))).toMatchObject({
      reason: 'aborted',
      sent: false,
    });
    expect(server.seen).toEqual([]);
  });
});

test('of a service that hangs up after every answer nobody is warned', async () => {
  const warnings: Error[] = [];
  const keepWarning = (warning: Error) => void warnings.push(warning);
  process.on('warning', keepWarning);
  onTestFinished(() => void process.off('warning', keepWarning));
  const server = await serveHttp((_, response) => json(response, {}, 200, { Connection: 'close' }));
  const send = await openTo(server);
  for (let read = 0; read < 15; read += 1) await send(get, undefined, never);
  expect(server.connections()).toBe(15);
  await new Promise(setImmediate);
  expect(warnings).toEqual([]);
});

test('close ends idle and busy connections', async () => {
  const server = await serveRaw((socket) => socket.pause());
  const send = await openTransport(server.url);
  const failing = failureFrom(send(get, undefined, never));
  await expect.poll(() => server.seen.length).toBe(1);
  await send.close();
  expect((await failing).sent).toBe(true);
});
