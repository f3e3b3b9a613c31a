import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox as startOwn } from '../../../src/sandbox/server/server.ts';
import { at, freshSandbox, shop } from './fresh-sandbox.ts';

const fiveMegabytes = 'x'.repeat(5_000_000);

test('a body of 5 MB is answered with 413, and the next request as ever', async () => {
  const { url, ask } = await freshSandbox();
  for (const path of ['/api/3/stacks', '/oauth/token', '/nowhere']) {
    const answer = await fetch(`${url.origin}${path}`, { method: 'POST', body: fiveMegabytes });
    expect([answer.status, await answer.json()]).toEqual([
      413,
      { error: 'too_large', details: 'the request body is larger than 4 MiB' },
    ]);
  }
  expect((await ask('GET /stacks')).status).toBe(200);
});

test('a body without end is answered with 413, and cut off when it goes on', async () => {
  const { url, ask } = await freshSandbox();
  const socket = connect(Number(url.port), '127.0.0.1').on('error', () => {});
  const cutOff = new Promise((resolve) => socket.once('close', resolve));
  const chunk = `${fiveMegabytes.length.toString(16)}\r\n${fiveMegabytes}\r\n`;
  socket.write(`POST /api/3/stacks HTTP/1.1\r\nHost: ${url.host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  socket.write(chunk);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 413 /);
  const pour = () => {
    while (socket.write(chunk));
  };
  socket.on('drain', pour);
  pour();
  await cutOff;
  expect((await ask('GET /stacks')).status).toBe(200);
});

test('a body that breaks off ends nothing', async () => {
  const { url, ask } = await freshSandbox();
  const socket = connect(Number(url.port), '127.0.0.1').resume();
  socket.end(`POST /api/3/stacks HTTP/1.1\r\nHost: ${url.host}\r\nContent-Length: 9\r\n\r\n{`);
  await once(socket, 'close');
  expect((await ask('GET /stacks')).status).toBe(200);
});

test('what is no HTTP is answered with 400', async () => {
  const { url, ask } = await freshSandbox();
  const socket = connect(Number(url.port), '127.0.0.1');
  socket.write('\u0016\u0003\u0001 hello\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  expect((await ask('GET /stacks')).status).toBe(200);
});

test('a request without any host is refused', async () => {
  const { url } = await freshSandbox();
  const socket = connect(Number(url.port), '127.0.0.1');
  socket.write('GET /api/3/reference/clouds HTTP/1.0\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 421 /);
});

/** Status of a request that names this host. */
async function statusFor(url: URL, host: string, path = '/api/3/reference/clouds'): Promise<number | undefined> {
  const sent = request({ host: '127.0.0.1', port: url.port, path, headers: { host } }).end();
  const [answer] = await once(sent, 'response');
  answer.resume();
  return answer.statusCode;
}

test('answers only hosts of this machine, at its own port', async () => {
  const { url } = await freshSandbox();
  const { port } = url;
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) {
    expect([host, await statusFor(url, host)]).toEqual([host, 200]);
  }
  const strange = [
    'evil.example',
    `evil.example:${port}`,
    `localhost.evil.example:${port}`,
    'localhost',
    'localhost:1',
    `a@localhost:${port}`,
  ];
  for (const host of strange) {
    for (const path of ['/api/3/stacks', '/oauth/authorize', '/storage/backups/x']) {
      expect([host, await statusFor(url, host, path)]).toEqual([host, 421]);
    }
  }
});

test('what is refused for its host changes nothing', async () => {
  const { url, ask, token } = await freshSandbox();
  const headers = { host: 'evil.example', authorization: `Bearer ${token}` };
  const path = `/api/3/stacks/${shop}/environments?key=EVIL&value=1`;
  const sent = request({ host: '127.0.0.1', port: url.port, method: 'POST', path, headers }).end();
  const [answer] = await once(sent, 'response');
  expect([answer.statusCode, JSON.parse(await text(answer))]).toEqual([
    421,
    { error: 'misdirected', details: 'the sandbox accepts requests from this machine only' },
  ]);
  expect(JSON.stringify(await ask(`GET /stacks/${shop}/environments?page=2`))).not.toContain('EVIL');
});

test('each start has a token and a client secret of its own, and takes no well-known one', async () => {
  const sandboxes = [await startOwn(), await startOwn()];
  for (const sandbox of sandboxes) onTestFinished(() => sandbox.close());
  const secrets = sandboxes.flatMap(({ token, clientSecret }) => [token.replace('sandbox_', ''), clientSecret]);
  for (const secret of secrets) expect(secret).toMatch(/^[\w-]{32}$/);
  expect(new Set(secrets).size).toBe(4);
  const [first, second] = sandboxes;
  const status = async (token = '') =>
    (await fetch(`${first?.url.href}/stacks`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status(first?.token)).toBe(200);
  expect(await status(second?.token)).toBe(401);
  for (const known of ['sandbox_all', 'sandbox_public', 'sandbox_']) expect(await status(known)).toBe(401);
});

test('its token can have fewer scopes', async () => {
  const { url, token, close } = await startOwn({ scopes: ['public', 'redeploy'] });
  onTestFinished(close);
  const ask = async (path: string) => {
    const answer = await fetch(`${url.href}${path}`, { headers: { authorization: `Bearer ${token}` } });
    return [answer.status, at(await answer.json(), 'details')];
  };
  expect(await ask('/stacks')).toEqual([200, undefined]);
  expect(await ask('/users')).toEqual([403, 'the access token lacks the scope admin']);
});
