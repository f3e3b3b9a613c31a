import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { chooseProxy } from '../../../src/http/transport/connection.ts';
import { keep, openTransport } from './clients.ts';
import { closedPort, json, serveHttp, serveRaw } from './servers.ts';

const get = { method: 'GET', path: '/x', query: new URLSearchParams(), body: undefined } as const;
const signal = new AbortController().signal;
const service = new URL('http://service.invalid/api/3');

/** A proxy that tunnels whatever is asked for to one port here. */
async function serveProxy(
  target: URL,
  status = 200,
): Promise<{ url: string; asked: string[]; close(): Promise<void> }> {
  const asked: string[] = [];
  const server = http.createServer();
  const sockets = new Set<net.Socket>();
  server.on('connect', (request, socket: net.Socket) => {
    asked.push(`${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
    sockets.add(socket);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const onward = net.connect(Number(target.port), '127.0.0.1');
    sockets.add(onward);
    for (const end of [socket, onward]) end.on('error', () => undefined);
    return socket.pipe(onward).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('the proxy of the environment', () => {
  test('is used for reads and writes, with its password', async () => {
    const server = await serveHttp((_, response) => json(response, {}));
    const proxy = keep(await serveProxy(server.url));
    const send = keep(await openTransport(service, { env: { http_proxy: `http://me:pw@${proxy.url}` } }));
    await send(get, 'secret', signal);
    await send({ ...get, method: 'DELETE' }, 'secret', signal);
    const password = `Basic ${Buffer.from('me:pw').toString('base64')}`;
    expect(proxy.asked).toEqual([`service.invalid:80 ${password}`, `service.invalid:80 ${password}`]);
    expect(server.seen.map(({ method, headers }) => [method, headers.host])).toEqual([
      ['GET', 'service.invalid'],
      ['DELETE', 'service.invalid'],
    ]);
  });

  test.each([
    ['user:pa%40ss', 'user:pa@ss'],
    ['user:50%off', 'user:50%off'],
    ['key', 'key:'],
    ['key:', 'key:'],
  ])('with the user %s', async (user, sent) => {
    const server = await serveHttp((_, response) => json(response, {}));
    const proxy = keep(await serveProxy(server.url));
    const send = keep(await openTransport(service, { env: { http_proxy: `http://${user}@${proxy.url}` } }));
    await send(get, undefined, signal);
    expect(proxy.asked).toEqual([`service.invalid:80 Basic ${Buffer.from(sent).toString('base64')}`]);
  });

  test('is left out for the hosts of no_proxy', async () => {
    const proxy = keep(await serveProxy(service));
    const env = { http_proxy: `http://${proxy.url}`, no_proxy: 'other, .invalid' };
    const send = keep(await openTransport(service, { env }));
    await expect(send(get, undefined, signal)).rejects.toMatchObject({ reason: 'dns', sent: false });
    expect(proxy.asked).toEqual([]);
  });

  test('that is down is no reason to go direct', async () => {
    const { host } = await closedPort();
    const send = keep(await openTransport(service, { env: { http_proxy: `http://me:pw@${host}` } }));
    for (const method of ['GET', 'POST'] as const) {
      await expect(send({ ...get, method }, undefined, signal)).rejects.toMatchObject({
        reason: 'proxy',
        sent: false,
        repeats: 'always',
        message: `no connection through the proxy ${host} (ECONNREFUSED)`,
      });
    }
  });

  test('that refuses says so', async () => {
    const proxy = keep(await serveProxy(service, 407));
    const send = keep(await openTransport(service, { env: { http_proxy: `http://${proxy.url}` } }));
    await expect(send(get, undefined, signal)).rejects.toMatchObject({
      reason: 'proxy',
      sent: false,
      repeats: 'never',
      message: `the proxy ${proxy.url} refused the connection (407)`,
    });
  });

  test('that hangs up is asked once', async () => {
    const proxy = await serveRaw((socket) => socket.destroy());
    const send = keep(await openTransport(service, { env: { http_proxy: `http://${proxy.url.host}` } }));
    await expect(send(get, undefined, signal)).rejects.toMatchObject({
      reason: 'proxy',
      sent: false,
      repeats: 'always',
    });
    expect(proxy.connections()).toBe(1);
  });
});

describe('the choice', () => {
  const base = new URL('https://api.example/api/3');
  test.each<[string, Record<string, string>, string | undefined]>([
    ['nothing set', {}, undefined],
    ['for https', { https_proxy: 'http://p:1', http_proxy: 'http://q:2' }, 'http://p:1/'],
    ['another scheme', { http_proxy: 'http://q:2' }, undefined],
    ['for all', { ALL_PROXY: 'https://p:1' }, 'https://p:1/'],
    ['empty is unset', { https_proxy: '', HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
  ])('%s', (_, env, expected) => {
    expect(chooseProxy(base, env)?.href).toBe(expected);
  });

  test.each([
    ['fd00::1', undefined],
    ['[fd00::1]', undefined],
    ['other,[fd00::1]:8443', undefined],
    ['[fd00::1]:8444', 'http://p:1/'],
    ['fd00::', 'http://p:1/'],
  ])('an IPv6 address and no_proxy %s', (no_proxy, expected) => {
    const own = new URL('https://[fd00::1]:8443/api/3');
    expect(chooseProxy(own, { https_proxy: 'http://p:1', no_proxy })?.href).toBe(expected);
  });

  test('loopback is always direct', () => {
    expect(chooseProxy(new URL('http://127.0.0.1:3000/'), { http_proxy: 'http://p:1' })).toBeUndefined();
  });

  test.each(['p:secret@x', 'ftp://p', 'http://', 'socks5://p:1'])(
    '%s cannot be used and is not repeated',
    (address) => {
      expect(() => chooseProxy(base, { https_proxy: address })).toThrow(
        'invalid proxy address in https_proxy: it must look like http://proxy.example:3128',
      );
    },
  );
});
