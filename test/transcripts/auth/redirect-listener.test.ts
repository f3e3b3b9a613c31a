import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ListenerOptions, listenForRedirect, type RedirectListener } from '../../../src/auth/redirect-listener.ts';
import { get, requestText, sendRaw, statusOf } from './raw-request.ts';

const state = 'S'.repeat(43);
const good = `/callback?code=abc&state=${state}`;

async function listener(more: Partial<ListenerOptions> = {}): Promise<RedirectListener> {
  const made = await listenForRedirect({
    port: 0,
    state,
    issuer: new URL('https://sign.example/in'),
    scopeSeparator: 'comma',
    ...more,
  });
  onTestFinished(() => made.finish('failed'));
  return made;
}

/** The code still comes after whatever was sent before. */
async function expectStillWaiting(listening: RedirectListener): Promise<void> {
  const answer = get(listening.redirectUrl, good);
  expect(await listening.code).toBe('abc');
  await listening.finish('signed-in');
  expect(statusOf(await answer)).toBe(200);
}

describe('the redirect that counts', () => {
  it('yields the code, and a page only when all is done', async () => {
    const listening = await listener();
    let isAnswered = false;
    const answer = get(listening.redirectUrl, good).then((text) => {
      isAnswered = true;
      return text;
    });
    expect(await listening.code).toBe('abc');
    await new Promise(setImmediate);
    expect(isAnswered).toBe(false);
    await listening.finish('signed-in');
    const [head = '', page = ''] = (await answer).replace(/Date: .*\r\n/, '').split('\r\n\r\n');
    const [, style = ''] = /<style>(.*)<\/style>/.exec(page) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(head.split('\r\n')).toEqual([
      'HTTP/1.1 200 OK',
      'Content-Type: text/html; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(page)}`,
      `Content-Security-Policy: default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options: nosniff',
      'Referrer-Policy: no-referrer',
      'Cache-Control: no-store',
      'Connection: close',
    ]);
    expect(page.replace(style, '')).toBe(
      [
        '<!doctype html>',
        '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        '<title>Signed in - stackops</title><style></style></head>',
        '<body><main><h1>Signed in</h1><p>You are signed in. You can close this window and return to the terminal.</p></main></body></html>',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['access_denied', state, 'Access denied'],
    ['access_denied', 'S', 'Sign-in failed'],
    ['server_error', state, 'Sign-in failed'],
  ])('says how it failed: %s with the state %s', async (error, sent, title) => {
    const listening = await listener();
    const answer = get(listening.redirectUrl, `/callback?error=${error}&state=${sent}`);
    await expect(listening.code).rejects.toThrow();
    await listening.finish('failed');
    expect(await answer).toContain(`<h1>${title}</h1>`);
  });

  it('is advertised by its IPv4 literal', async () => {
    const { redirectUrl } = await listener();
    expect(redirectUrl.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  it.each([
    [
      'O1 wrong state',
      `code=abc&state=${'T'.repeat(43)}`,
      'the browser returned the wrong state; the redirect may come from someone else',
    ],
    [
      'O1 state of another length',
      'code=abc&state=S',
      'the browser returned the wrong state; the redirect may come from someone else',
    ],
    ['O1 no state', 'code=abc', 'the browser returned the wrong state; the redirect may come from someone else'],
    ['O1 nothing at all', '', 'the browser returned the wrong state; the redirect may come from someone else'],
    ['O2 declined', `error=access_denied&state=${state}`, 'sign-in was denied in the browser'],
    [
      'O3 another error',
      `error=invalid_scope&error_description=no%1b%5b31m+such%0d%0ascope&state=${state}`,
      'the sign-in service refused (invalid_scope): no\x1b[31m such scope',
    ],
    ['O3 an error that is no word', `error=%3Cscript%3E&state=${state}`, 'the sign-in service refused'],
    [
      'O4 error with wrong state',
      'error=access_denied&error_description=trick&state=x',
      'the browser returned the wrong state; the redirect may come from someone else',
    ],
    ['O5 no code', `state=${state}`, 'the browser returned no code'],
    ['O5 empty code', `code=&state=${state}`, 'the browser returned no code'],
    ['O6 code twice', `code=abc&code=abd&state=${state}`, 'the browser returned a parameter twice'],
    ['O6 state twice', `code=abc&state=${state}&state=${state}`, 'the browser returned a parameter twice'],
    [
      'O28 another issuer',
      `code=abc&state=${state}&iss=https%3A%2F%2Fevil.example`,
      'the browser returned from another sign-in service',
    ],
    [
      'O28 an issuer that is no address',
      `code=abc&state=${state}&iss=sign.example`,
      'the browser returned from another sign-in service',
    ],
  ])('%s aborts', async (_name, query, message) => {
    const listening = await listener();
    const answer = get(listening.redirectUrl, `/callback?${query}`);
    await expect(listening.code).rejects.toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        message,
        details: {
          hint: query.includes('invalid_scope')
            ? { path: 'profile set', operands: ['scope_separator=space'] }
            : { path: 'auth login' },
        },
      }),
    );
    await listening.finish('failed');
    expect(statusOf(await answer)).toBe(400);
  });

  it('O3 invalid_scope with blanks between the scopes hints the comma', async () => {
    const listening = await listener({ scopeSeparator: 'space' });
    void get(listening.redirectUrl, `/callback?error=invalid_scope&state=${state}`);
    await expect(listening.code).rejects.toThrow(
      expect.objectContaining({ details: { hint: { path: 'profile set', operands: ['scope_separator=comma'] } } }),
    );
  });

  it.skipIf(process.getuid?.() !== 0)('takes the port that a browser leaves out of Host', async () => {
    const listening = await listener({ port: 80 });
    void get(listening.redirectUrl, good, { Host: '127.0.0.1' });
    expect(await listening.code).toBe('abc');
  });

  it('takes the right issuer', async () => {
    const listening = await listener();
    void get(listening.redirectUrl, `${good}&iss=https%3A%2F%2Fsign.example`);
    expect(await listening.code).toBe('abc');
  });

  it('O27 shows nothing of the request', async () => {
    const listening = await listener();
    const answer = get(listening.redirectUrl, '/callback?code=%3Cscript%3Ealert(1)%3C/script%3E&state=<b>&x=<script>');
    await expect(listening.code).rejects.toThrow();
    await listening.finish('failed');
    expect(await answer).not.toMatch(/script|<b>|alert/);
  });
});

describe('requests that do not count', () => {
  it.each([
    ['O8 /favicon.ico', '/favicon.ico', {}, 404],
    ['O8 /', '/', {}, 404],
    ['O8 another path', `/callback/x?code=abc&state=${state}`, {}, 404],
    ['O8 the path in other letters', `/Callback?code=abc&state=${state}`, {}, 404],
    ['O8 a whole address', `http://evil.example/callback?code=abc&state=${state}`, {}, 404],
    ['O10 Purpose: prefetch', good, { Purpose: 'prefetch' }, 503],
    ['O10 Sec-Purpose', good, { 'Sec-Purpose': 'prefetch;prerender' }, 503],
    ['O10 X-Moz', good, { 'X-Moz': 'prefetch' }, 503],
    ['O11 localhost', good, { Host: 'localhost:PORT' }, 421],
    ['O11 another name', good, { Host: 'evil.example' }, 421],
    ['O11 another port', good, { Host: '127.0.0.1:1' }, 421],
    ['O11 no port', good, { Host: '127.0.0.1' }, 421],
    ['O12 Origin', good, { Origin: 'https://evil.example' }, 403],
    ['O12 Origin: null', good, { Origin: 'null' }, 403],
    ['O12 an image', good, { 'Sec-Fetch-Dest': 'image' }, 403],
    ['O12 a frame', good, { 'Sec-Fetch-Dest': 'iframe' }, 403],
    ['O12 a fetch', good, { 'Sec-Fetch-Dest': 'empty' }, 403],
  ])('%s is turned away and the wait goes on', async (_name, target, headers, status) => {
    const listening = await listener();
    const sent = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('PORT', listening.redirectUrl.port),
    ]);
    expect(statusOf(await get(listening.redirectUrl, target, Object.fromEntries(sent)))).toBe(status);
    await expectStillWaiting(listening);
  });

  it.each(['HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE'])('O9 %s is turned away and the wait goes on', async (method) => {
    const listening = await listener();
    const answer = await sendRaw(listening.redirectUrl, requestText(listening.redirectUrl, good, { method }));
    expect([statusOf(answer), answer.includes('Allow: GET')]).toEqual([405, true]);
    expect(answer).not.toContain('Access-Control');
    await expectStillWaiting(listening);
  });

  it('O11 a second Host is turned away', async () => {
    const listening = await listener();
    const { host } = listening.redirectUrl;
    const answer = await sendRaw(
      listening.redirectUrl,
      `GET ${good} HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\n\r\n`,
    );
    expect([400, 421]).toContain(statusOf(answer));
    await expectStillWaiting(listening);
  });

  it('a person who follows the link counts', async () => {
    const listening = await listener();
    void get(listening.redirectUrl, good, { 'Sec-Fetch-Dest': 'document', 'Sec-Fetch-Mode': 'navigate' });
    expect(await listening.code).toBe('abc');
  });

  it('O7 a second callback is not found, and the first one stands', async () => {
    const listening = await listener();
    const first = get(listening.redirectUrl, good);
    expect(await listening.code).toBe('abc');
    expect(statusOf(await get(listening.redirectUrl, `/callback?code=other&state=${state}`))).toBe(404);
    await listening.finish('signed-in');
    expect(statusOf(await first)).toBe(200);
    expect(await listening.code).toBe('abc');
  });
});

describe('connections', () => {
  it('O17 closes one that says nothing', async () => {
    const listening = await listener({ headTimeoutMs: 50 });
    expect(await sendRaw(listening.redirectUrl, '')).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it('O17 closes one that never finishes its head', async () => {
    const listening = await listener({ headTimeoutMs: 50 });
    const answer = await sendRaw(listening.redirectUrl, 'GET /callback HTTP/1.1\r\nHost: ');
    expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it('O17 refuses a head above 8 KiB', async () => {
    const listening = await listener();
    expect(statusOf(await get(listening.redirectUrl, `/callback?code=${'x'.repeat(9000)}`))).toBe(431);
    await expectStillWaiting(listening);
  });

  it('O17 holds at most 16 silent ones, and the oldest makes room for the browser', async () => {
    const listening = await listener({ headTimeoutMs: 15_000 });
    const sockets: Socket[] = [];
    for (let n = 0; n < 16; n++) {
      const socket = connect(Number(listening.redirectUrl.port), '127.0.0.1');
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      sockets.push(socket);
    }
    const closed = once(sockets[0] as Socket, 'close');
    expect(statusOf(await get(listening.redirectUrl, '/'))).toBe(404);
    await closed;
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(1);
    for (const socket of sockets) socket.destroy();
  });

  it('O18 ends at once though a browser keeps a connection open', async () => {
    const listening = await listener();
    const idle = connect(Number(listening.redirectUrl.port), '127.0.0.1');
    idle.on('error', () => undefined);
    await once(idle, 'connect');
    expect(statusOf(await get(listening.redirectUrl, '/favicon.ico'))).toBe(404);
    const closed = once(idle, 'close');
    await listening.finish('failed');
    await closed;
  });

  it('gives the port back', async () => {
    const listening = await listener();
    const port = Number(listening.redirectUrl.port);
    await listening.finish('failed');
    const again = await listener({ port });
    expect(again.redirectUrl.port).toBe(String(port));
  });

  it('O13 names the port that is in use, and takes no other', async () => {
    const { redirectUrl } = await listener();
    const port = Number(redirectUrl.port);
    await expect(listener({ port })).rejects.toThrow(
      expect.objectContaining({
        kind: 'internal',
        message: `cannot listen on port ${port} of 127.0.0.1: the port is in use`,
        details: { hint: { path: 'auth login', flags: ['--callback-port', '0'] } },
      }),
    );
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));

  it.skipIf(!hasIpv6)('O14 is not disturbed by another program on [::1]', async () => {
    const other = createServer((socket) => socket.destroy());
    other.listen(0, '::1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const address = other.address();
    const listening = await listener({ port: typeof address === 'object' && address ? address.port : 0 });
    await expectStillWaiting(listening);
  });

  it.skipIf(!hasIpv6)('O15 listens on [::1] when there is no IPv4 loopback', async () => {
    const listening = await listener({ hosts: ['192.0.2.1', '::1'] });
    expect(listening.redirectUrl.href).toMatch(/^http:\/\/\[::1\]:\d+\/callback$/);
    await expectStillWaiting(listening);
  });
});
