import { describe, expect, test } from 'vitest';
import { unsent } from '../../support/phrases.ts';
import { clientOf, create, get, problemOf, thing, things } from './clients.ts';
import { closedPort, json, serveHttp, serveRaw, wireAnswer } from './servers.ts';

describe('a call', () => {
  test('sends the token and unwraps the reply with unknown fields', async () => {
    const server = await serveHttp((_, response) => json(response, thing));
    const client = await clientOf(server.url);
    expect(await get(client)).toEqual({ id: 7, name: 'a', extra: [1] });
    expect(server.seen[0]).toMatchObject({
      url: '/api/3/things/7',
      headers: { authorization: 'Bearer token-of-the-test' },
    });
    const id = server.seen[0]?.headers['request-id'];
    expect(client.trace).toEqual([`* GET /things/7 -> 200, 0 ms, 44 bytes, request ${id}`]);
    expect(server.seen[0]?.headers['request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('without a scope asks for no token', async () => {
    const server = await serveHttp((_, response) => json(response, thing));
    const client = await clientOf(server.url, {
      api: { token: () => Promise.reject(new Error('asked')), loginScopes: () => expect.fail('asked') },
    });
    await client.api.call({ ...things.get, scope: 'none' }, { id: 7 });
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test("shows the service's warning once", async () => {
    const server = await serveHttp((_, response) => json(response, thing, 200, { 'X-Cloud66-Warning': 'Old.' }));
    const client = await clientOf(server.url);
    await get(client);
    await get(client);
    expect(client.warnings).toEqual(['Old.']);
  });
});

describe('reads are repeated', () => {
  test.each([408, 429, 500, 502, 503, 504])('after %i', async (status) => {
    const server = await serveHttp((_, response, nth) => json(response, nth < 4 ? {} : thing, nth < 4 ? status : 200));
    const client = await clientOf(server.url);
    expect(await get(client)).toMatchObject({ id: 7 });
    expect(client.delays).toEqual([550, 1050, 2050]);
    expect(client.trace.map((line) => line.replace(/, .*/, ''))).toEqual([
      `* GET /things/7 -> ${status}`,
      `* retrying in 550 ms: status ${status}`,
      `* GET /things/7 -> ${status}`,
      `* retrying in 1050 ms: status ${status}`,
      `* GET /things/7 -> ${status}`,
      `* retrying in 2050 ms: status ${status}`,
      '* GET /things/7 -> 200',
    ]);
  });

  test('four attempts at most', async () => {
    const server = await serveHttp((_, response) => json(response, {}, 500));
    expect(await problemOf(get(await clientOf(server.url)))).toMatchObject({
      kind: 'unavailable',
      message: 'the service failed (500) (4 attempts)',
      details: { status: 500, operation: 'GET /things/:id', requestId: server.seen[3]?.headers['request-id'] },
    });
    expect(server.seen).toHaveLength(4);
    expect(new Set(server.seen.map(({ headers }) => headers['request-id'])).size).toBe(4);
  });

  test('after a cut', async () => {
    const server = await serveRaw((socket, nth) =>
      nth === 1 ? socket.destroy() : socket.end(wireAnswer(JSON.stringify(thing))),
    );
    expect(await get(await clientOf(server.url))).toMatchObject({ id: 7 });
    expect(server.seen).toHaveLength(2);
  });

  test('once after something that is not HTTP', async () => {
    const server = await serveRaw((socket) => socket.end('SSH-2.0\r\n\r\n'));
    expect((await problemOf(get(await clientOf(server.url)))).kind).toBe('unavailable');
    expect(server.seen).toHaveLength(2);
  });

  test('once after an unframed answer that ends too early', async () => {
    const server = await serveRaw((socket) => socket.end(wireAnswer('{"response":', ['Connection: close'])));
    expect((await problemOf(get(await clientOf(server.url)))).message).toBe(
      'the response is not valid JSON at position 12 (200) (2 attempts)',
    );
    expect(server.seen).toHaveLength(2);
  });

  test.each([
    [400, {}, 'rejected'],
    [401, {}, 'unauthenticated'],
    [404, {}, 'not_found'],
    [501, {}, 'unavailable'],
    [503, { error: 'not_implemented' }, 'unavailable'],
    [302, {}, 'unavailable'],
    [200, 'no object', 'unavailable'],
  ])('but not after %i %o', async (status, body, kind) => {
    const server = await serveHttp((_, response) => json(response, body, status));
    expect((await problemOf(get(await clientOf(server.url)))).kind).toBe(kind);
    expect(server.seen).toHaveLength(1);
  });

  test('never with retries 0', async () => {
    const server = await serveHttp((_, response) => json(response, {}, 500));
    await problemOf(get(await clientOf(server.url, { api: { maxRetries: 0 } })));
    expect(server.seen).toHaveLength(1);
  });

  test('not when the service asks for more than a minute', async () => {
    const server = await serveHttp((_, response) => json(response, {}, 429, { 'retry-after': '61' }));
    expect(await problemOf(get(await clientOf(server.url)))).toMatchObject({
      kind: 'unavailable',
      message: 'rate limit reached (429); the service asks to wait 61 s',
      details: { hint: 'retry in 61 s' },
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe('writes are sent once', () => {
  test.each<[string, number, unknown]>([
    ['408', 408, {}],
    ['500', 500, { message: 'Boom.' }],
    ['502', 502, {}],
    ['503', 503, {}],
    ['504', 504, {}],
    ['a redirect', 307, {}],
    ['an unreadable reply', 200, 'text'],
    ['null', 200, { response: null }],
    ['a reply that proves nothing', 200, { response: { name: 'a' } }],
    ['no content', 204, undefined],
  ])('%s leaves the outcome unknown', async (_, status, body) => {
    const server = await serveHttp((_request, response) =>
      json(response, body, status, { location: 'https://other.example/x' }),
    );
    expect(await problemOf(create(await clientOf(server.url)))).toMatchObject({
      kind: 'outcome_unknown',
      message: expect.stringMatching(/^outcome unknown; the change may have been applied: /),
      details: {
        status,
        operation: 'POST /things',
        extra: {
          request_sent: true,
          attempts: 1,
          started_at: '2026-01-02T03:04:05.000Z',
          method: 'POST',
          path: '/things',
        },
        check: null,
      },
    });
    expect(server.seen).toHaveLength(1);
  });

  test('a lost answer too', async () => {
    const server = await serveRaw((socket) => socket.destroy());
    expect(await problemOf(create(await clientOf(server.url)))).toMatchObject({
      kind: 'outcome_unknown',
      message: `outcome unknown; the change may have been applied: ${server.url.host} closed the connection before the response was complete (UND_ERR_SOCKET)`,
      details: { hint: 'no command can check this; check with the service before you repeat the change' },
    });
    expect(server.seen).toHaveLength(1);
  });

  test.each<[string, number, unknown, string]>([
    ['ok false', 200, { response: { ok: false, message: 'Busy.' } }, 'rejected'],
    ['409', 409, { details: 'Busy.' }, 'rejected'],
    ['501', 501, {}, 'unavailable'],
    ['403', 403, {}, 'forbidden'],
  ])('%s is a definite answer', async (_, status, body, kind) => {
    const server = await serveHttp((_request, response) => json(response, body, status));
    expect((await problemOf(create(await clientOf(server.url)))).kind).toBe(kind);
    expect(server.seen).toHaveLength(1);
  });

  test('but again after 429', async () => {
    const server = await serveHttp((_, response, nth) =>
      nth === 1 ? json(response, {}, 429, { 'retry-after': '2' }) : json(response, thing),
    );
    const client = await clientOf(server.url);
    expect(await create(client)).toMatchObject({ id: 7 });
    expect(client.delays).toEqual([2100]);
    expect(server.seen).toHaveLength(2);
  });

  test('and again when they never left', async () => {
    const url = await closedPort();
    const client = await clientOf(url);
    expect(await problemOf(create(client))).toMatchObject({
      kind: 'unavailable',
      message: `cannot connect to ${url.host} (ECONNREFUSED)${unsent} (4 attempts)`,
    });
    expect(client.delays).toHaveLength(3);
  });
});
