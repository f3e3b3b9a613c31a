import { expect, test } from 'vitest';
import type { OpenSession } from '../../../src/app/session.ts';
import { createStorageDownload } from '../../../src/app/storage.ts';
import type { Host } from '../../../src/cli/host.ts';
import { createRedactor } from '../../../src/output/safe/redactor.ts';
import { serveHttp } from '../http/servers.ts';

const sink = { begin: () => undefined, take: () => undefined };

/** Reads a link that a service gave, over the network. */
function read(address: string, service: string): Promise<void> {
  const redactor = createRedactor();
  const host: Pick<Host, 'env' | 'version' | 'platform' | 'redactor'> = {
    env: {},
    version: '0.0.0',
    platform: 'test',
    redactor,
  };
  const session: Pick<OpenSession, 'baseUrl' | 'embedded'> = { baseUrl: () => service, embedded: () => undefined };
  return createStorageDownload(host as Host, session as OpenSession)(address, sink, new AbortController().signal);
}

test('only a service on this machine has its files here', async () => {
  const server = await serveHttp((_, response) => response.end('hello'));
  const link = `${server.url.origin}/shop.tar`;
  await expect(read(link, 'https://stacks.example/api/3')).rejects.toThrow('a link that is not https');
  expect(server.seen).toEqual([]);
  await read(link, server.url.href);
  await read(link, 'https://localhost:8443/api/3');
  expect(server.seen).toHaveLength(2);
});
