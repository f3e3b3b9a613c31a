import { expect, test } from 'vitest';
import type { Grace } from '../../../src/http/transport/http-exchange.ts';
import { holdTime } from '../../support/held-time.ts';
import { unchanged } from '../../support/phrases.ts';
import { keep, openClient, problemOf, things } from './clients.ts';
import { json, serveHttp, serveRaw } from './servers.ts';

/** A client whose writes are listened to for `ms` after SIGINT, and what it reports of that. */
async function clientOf(url: URL, ms: number, more: { readonly budgetMs?: number; readonly begun?: () => void } = {}) {
  const stop = new AbortController();
  const begun: number[] = [];
  const grace: Grace = {
    waitMsAfter: (reason) => (reason === 'SIGINT' ? ms : 0),
    onWaitBegin: (given) => {
      begun.push(given);
      more.begun?.();
    },
  };
  const { begun: _, ...api } = more;
  const client = await openClient(url, { api: { signal: stop.signal, ...api }, transport: { grace } });
  keep(client);
  return { api: client.api, interrupt: () => stop.abort('SIGINT'), begun };
}

test('an answer within the grace counts', async () => {
  let answer = () => {};
  const server = await serveHttp((_, response) => {
    answer = () => json(response, { response: { id: 7, name: 'a' } });
    client.interrupt();
  });
  const client = await clientOf(server.url, 60_000, { begun: () => answer() });
  expect(await client.api.call(things.create, { name: 'a' })).toEqual({ id: 7, name: 'a' });
  expect(client.begun).toEqual([60_000]);
});

test('nothing more is sent after it, and what was done is not denied', async () => {
  let answer = () => {};
  const server = await serveHttp((_, response) => {
    answer = () => json(response, { response: { id: 7, name: 'a' } });
    client.interrupt();
  });
  const client = await clientOf(server.url, 60_000, { begun: () => answer() });
  await client.api.call(things.create, { name: 'a' });
  expect(await problemOf(client.api.call(things.create, { name: 'b' }))).toMatchObject({
    kind: 'interrupted',
    message: 'interrupted',
  });
  expect(server.seen).toHaveLength(1);
});

test('429 within the grace is not repeated', async () => {
  let answer = () => {};
  const server = await serveHttp((_, response) => {
    answer = () => json(response, {}, 429);
    client.interrupt();
  });
  const client = await clientOf(server.url, 60_000, { begun: () => answer() });
  expect(await problemOf(client.api.call(things.create, { name: 'a' }))).toMatchObject({
    kind: 'interrupted',
    message: `interrupted${unchanged}`,
  });
  expect(server.seen).toHaveLength(1);
});

test('no answer within the grace leaves the outcome unknown', async () => {
  const server = await serveRaw(() => client.interrupt());
  const client = await clientOf(server.url, 10);
  expect(await problemOf(client.api.call(things.create, { name: 'a' }))).toMatchObject({
    kind: 'interrupted',
    message: 'outcome unknown; the change may have been applied: interrupted before the response came',
    details: { extra: { request_sent: true } },
  });
  expect(client.begun).toEqual([10]);
});

test('a connection that breaks within the grace leaves the outcome unknown', async () => {
  let cut = () => {};
  const server = await serveRaw((socket) => {
    cut = () => socket.destroy();
    client.interrupt();
  });
  const client = await clientOf(server.url, 60_000, { begun: () => cut() });
  expect((await problemOf(client.api.call(things.create, { name: 'a' }))).kind).toBe('outcome_unknown');
});

test('a read gets none', async () => {
  const server = await serveRaw(() => client.interrupt());
  const client = await clientOf(server.url, 60_000);
  expect((await problemOf(client.api.call(things.get, { id: 7 }))).kind).toBe('interrupted');
  expect(client.begun).toEqual([]);
});

test('a write that was not sent gets none', async () => {
  const server = await serveHttp((_, response) => json(response, {}));
  const client = await clientOf(server.url, 60_000);
  const error = problemOf(client.api.call(things.create, { name: 'a' }));
  client.interrupt();
  expect(await error).toMatchObject({ kind: 'interrupted', message: `interrupted${unchanged}` });
  expect({ begun: client.begun, seen: server.seen }).toEqual({ begun: [], seen: [] });
});

test('the time limit gives none', async () => {
  const time = holdTime();
  const server = await serveRaw(() => time.passes(200));
  const client = await clientOf(server.url, 60_000, { budgetMs: 200 });
  expect((await problemOf(client.api.call(things.create, { name: 'a' }))).kind).toBe('outcome_unknown');
  expect(client.begun).toEqual([]);
});
