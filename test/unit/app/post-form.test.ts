import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFormPoster } from '../../../src/app/login.ts';
import type { Host } from '../../../src/cli/host.ts';

test('a sign-in service that does not answer is given up after 30 s, and the error says so', async () => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const host = { version: '0', platform: 'linux', env: {}, signal: new AbortController().signal } as Host;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { port } = server.address() as AddressInfo;
  const answer = createFormPoster(host)(new URL(`http://127.0.0.1:${port}/oauth/token`), new URLSearchParams());
  const refused = expect(answer).rejects.toThrow('did not respond within 30 s');
  await once(server, 'request');
  await vi.advanceTimersByTimeAsync(30_000);
  await refused;
});
