import { once } from 'node:events';
import http from 'node:http';
import { describe, expect, test } from 'vitest';
import type { DownloadSink } from '../../../src/contract/exchange.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { createStorageReader, type DownloadOptions } from '../../../src/http/transport/download.ts';
import { closedPort, serveHttp, serveRaw, type TestServer, wireAnswer } from '../http/servers.ts';

const signature = 'Signature=sEcReT';

interface Received {
  readonly announced: readonly (number | undefined)[];
  readonly text: string;
}

async function read(
  address: string,
  more: Partial<DownloadOptions> & { readonly signal?: AbortSignal; readonly sink?: Partial<DownloadSink> } = {},
): Promise<Received> {
  const { signal = new AbortController().signal, sink = {}, ...options } = more;
  const announced: (number | undefined)[] = [];
  let text = '';
  const fetch = createStorageReader({
    userAgent: 'stackops/0.0.0 (test)',
    connectTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    totalTimeoutMs: 10_000,
    isServiceLocal: true,
    env: {},
    ...options,
  });
  const into: DownloadSink = {
    begin: (bytes) => void announced.push(bytes),
    take: (chunk) => {
      text += Buffer.from(chunk).toString('latin1');
    },
    ...sink,
  };
  await fetch(address, into, signal);
  return { announced, text };
}

function linkTo({ url }: TestServer): string {
  return `${url.origin}/b/shop.tar?${signature}`;
}

async function failure(address: string, more: Parameters<typeof read>[1] = {}): Promise<CliError> {
  const problem = await read(address, more).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof CliError)) throw new Error(`no problem but ${String(problem)}`);
  expect(JSON.stringify([problem.message, problem.details])).not.toContain('sEcReT');
  return problem;
}

async function against(raw: string, more: Parameters<typeof read>[1] = {}): Promise<CliError> {
  const server = await serveRaw((socket) => socket.end(raw));
  const error = await failure(linkTo(server), more);
  return new CliError(error.kind, error.message.replace(server.url.host, 'HOST'), error.details);
}

describe('a file', () => {
  test('arrives whole, asked for without anything but its address', async () => {
    const server = await serveHttp((_, response) => {
      response.writeHead(200, { 'content-length': 5 });
      response.end('hello');
    });
    expect(await read(linkTo(server))).toEqual({ announced: [5], text: 'hello' });
    expect(server.seen).toEqual([
      {
        method: 'GET',
        url: `/b/shop.tar?${signature}`,
        body: '',
        headers: {
          host: server.url.host,
          connection: 'close',
          accept: '*/*',
          'accept-encoding': 'identity',
          'user-agent': 'stackops/0.0.0 (test)',
        },
      },
    ]);
  });

  test('arrives in chunks too, and empty', async () => {
    const server = await serveHttp(({ url }, response) => {
      if (!url.startsWith('/empty')) response.write('hel');
      else response.setHeader('content-length', 0);
      response.end(url.startsWith('/empty') ? '' : 'lo');
    });
    expect(await read(linkTo(server))).toEqual({ announced: [undefined], text: 'hello' });
    expect(await read(`${server.url.origin}/empty`)).toEqual({ announced: [0], text: '' });
  });

  test('is not more than what was announced', async () => {
    const server = await serveRaw((socket) => socket.end(wireAnswer('hello, and then some', ['Content-Length: 5'])));
    expect((await read(linkTo(server))).text).toBe('hello');
  });
});

describe('a host that fails is unavailable', () => {
  test.each([
    ['short', wireAnswer('hel', ['Content-Length: 5']), /^HOST closed the connection before the response was complete/],
    ['cut chunks', wireAnswer('3\r\nhel\r\n', ['Transfer-Encoding: chunked']), /^HOST closed the connection before/],
    ['endless', wireAnswer('hello', []), /^the storage host HOST did not send the size of the file$/],
    [
      'web page',
      wireAnswer('<p>', ['Content-Length: 3']).replace('application/json', 'text/html'),
      /a web page instead/,
    ],
    [
      'compressed',
      wireAnswer('x', ['Content-Length: 1', 'Content-Encoding: gzip']),
      /compressed the file, but compression was/,
    ],
    [
      'huge head',
      wireAnswer('x', ['Content-Length: 1', `X: ${'x'.repeat(100_000)}`]),
      /a response that is not HTTP\/1\.1/,
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH\r\n', /a response that is not HTTP\/1\.1/],
    [
      'two lengths',
      wireAnswer('hello', ['Content-Length: 5', 'Content-Length: 4']),
      /^HOST closed the connection before/,
    ],
    [
      'part of it',
      wireAnswer('h', ['Content-Length: 1']).replace('200 OK', '206 Partial'),
      /refused the download \(206\)$/,
    ],
    [
      'lost redirect',
      wireAnswer('', ['Content-Length: 0']).replace('200 OK', '302 Found'),
      /refused the download \(302\)$/,
    ],
  ])('%s', async (_, raw, message) => {
    const error = await against(raw);
    expect(error.kind).toBe('unavailable');
    expect(error.message).toMatch(message);
  });

  test('a refused link says its status', async () => {
    const problem = await against(wireAnswer('', ['Content-Length: 0']).replace('200 OK', '403 Forbidden'));
    expect(problem.message).toBe('the storage host HOST refused the download (403)');
    expect(problem.details.status).toBe(403);
  });

  test('nobody listens', async () => {
    expect((await failure(`${(await closedPort()).href}?${signature}`)).message).toMatch(/^cannot connect to 127/);
  });

  test('silence before the answer', async () => {
    const server = await serveRaw(() => undefined);
    const problem = await failure(linkTo(server), { idleTimeoutMs: 30 });
    expect(problem.message).toBe(`${server.url.host} sent nothing for 0.03 s`);
  });

  test('silence in the middle', async () => {
    const server = await serveRaw((socket) => socket.write(wireAnswer('hel', ['Content-Length: 5'])));
    expect((await failure(linkTo(server), { idleTimeoutMs: 50 })).message).toMatch(/sent nothing for 0\.05 s$/);
  });

  test('a trickle ends at the limit of the whole', async () => {
    const server = await serveRaw((socket) => {
      socket.write(wireAnswer('', ['Content-Length: 100000']));
      const drip = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const problem = await failure(linkTo(server), { totalTimeoutMs: 100 });
    expect(problem.message).toBe('the download did not finish within 0.1 s');
  });

  test('a disk that fails ends the transfer with its own words', async () => {
    const server = await serveRaw((socket) => socket.write(wireAnswer('hel', ['Content-Length: 5'])));
    const take = () => {
      throw new CliError('internal', 'the disk is full');
    };
    expect(await failure(linkTo(server), { sink: { take } })).toMatchObject({
      kind: 'internal',
      message: 'the disk is full',
    });
  });

  test('an interruption ends it at once', async () => {
    const server = await serveRaw((socket) => socket.write(wireAnswer('hel', ['Content-Length: 5'])));
    const stop = new AbortController();
    const take = () => stop.abort('SIGINT');
    expect((await failure(linkTo(server), { signal: stop.signal, sink: { take } })).kind).toBe('interrupted');
    expect((await failure(linkTo(server), { signal: stop.signal })).kind).toBe('interrupted');
    expect(server.connections()).toBe(1);
  });
});

describe('redirects', () => {
  test('are followed three times, and nothing is told about where they came from', async () => {
    const server = await serveHttp(({ url }, response) => {
      const hop = Number(url.slice(1, 2));
      if (hop === 3) return void response.end('there');
      response.writeHead(302, { location: `/${hop + 1}`, 'set-cookie': 'a=b' });
      response.end();
    });
    expect((await read(`${server.url.origin}/0?${signature}`)).text).toBe('there');
    expect(server.seen.map(({ url }) => url)).toEqual([`/0?${signature}`, '/1', '/2', '/3']);
    for (const { headers } of server.seen) {
      expect(headers).not.toHaveProperty('cookie');
      expect(headers).not.toHaveProperty('referer');
      expect(headers).not.toHaveProperty('authorization');
    }
  });

  test('in a loop are left after the third', async () => {
    const server = await serveHttp(({ url }, response) => response.writeHead(307, { location: url }).end());
    const error = await failure(linkTo(server));
    expect(error.message).toBe(`${server.url.host} redirects more than 3 times`);
    expect(server.seen).toHaveLength(4);
  });

  test.each([
    'http://storage.example/x',
    'ftp://storage.example/x',
    'file:///etc/passwd',
    'https://u:p@storage.example/',
    '//',
  ])('to %s are not followed', async (location) => {
    const server = await serveHttp((_, response) => response.writeHead(302, { location }).end());
    const problem = await failure(linkTo(server));
    expect(problem.message).toBe(`${server.url.host} redirects to an address that is not https; it was not followed`);
  });
});

describe('addresses', () => {
  test.each([
    'http://storage.example/x?sEcReT',
    'file:///etc/passwd',
    'not an address',
    '',
    'https://u:sEcReT@storage.example/',
  ])('%s is no link', async (address) => {
    const message = 'the service sent a link that is not https; it was not followed';
    expect(await failure(address)).toMatchObject({ kind: 'unavailable', message });
  });

  test('a service elsewhere sends nobody to this machine by plain http', async () => {
    const server = await serveHttp((_, response) => response.end('a local service'));
    const message = 'the service sent a link that is not https; it was not followed';
    expect(await failure(linkTo(server), { isServiceLocal: false })).toMatchObject({ kind: 'unavailable', message });
    expect(server.seen).toEqual([]);
  });

  test('nothing is read where certificates are not looked at', async () => {
    const error = await failure('https://storage.example/x', { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } });
    expect(error.kind).toBe('usage');
    expect(error.details.hint).toBe('unset NODE_TLS_REJECT_UNAUTHORIZED');
  });

  test('a proxy is used, and one that refuses is named', async () => {
    const proxy = http.createServer().on('connect', (_, socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const env = { https_proxy: `http://127.0.0.1:${port}` };
    const problem = await failure(`https://storage.example/x?${signature}`, { env });
    expect(problem.message).toBe(`the proxy 127.0.0.1:${port} refused the connection (502)`);
    proxy.close();
  });
});
