import { describe, expect, test } from 'vitest';
import { holdTime } from '../../support/held-time.ts';
import { unchanged } from '../../support/phrases.ts';
import { clientOf, create, get, problemOf, thing, things } from './clients.ts';
import { json, serveHttp, serveRaw } from './servers.ts';

describe('time and interruption', () => {
  test('the time limit ends a call that was sent', async () => {
    const time = holdTime();
    const server = await serveRaw(() => time.passes(300));
    const more = { api: { budgetMs: 300 } };
    expect(await problemOf(create(await clientOf(server.url, more)))).toMatchObject({
      kind: 'outcome_unknown',
      message: 'outcome unknown; the change may have been applied: no response within the timeout of 0.3 s',
    });
    expect(await problemOf(get(await clientOf(server.url, more)))).toMatchObject({
      kind: 'unavailable',
      message: 'no response within the timeout of 0.3 s',
    });
    expect(server.seen).toHaveLength(2);
  });

  test('the time limit is for one page of a list, not for all', async () => {
    let nowMs = 0;
    const rows = (page: number) => [{ id: page, name: 'a' }];
    const transport = async ({ query }: { readonly query: URLSearchParams }) => {
      nowMs += 60_000;
      const current = Number(query.get('page') ?? 1);
      const pagination = { current, next: current < 5 ? current + 1 : null };
      return { status: 200, headers: {}, text: JSON.stringify({ response: rows(current), pagination }) };
    };
    const clock = { now: () => new Date(0), elapsed: () => nowMs, sleep: async () => undefined, random: () => 0 };
    const client = await clientOf(new URL('http://127.0.0.1/api/3'), {
      api: { budgetMs: 120_000, clock, transport: async () => transport },
    });
    expect(await client.api.call(things.list, {})).toHaveLength(5);
  });

  test('no repeat is begun that cannot fit', async () => {
    const server = await serveHttp((_, response) => json(response, {}, 500));
    const client = await clientOf(server.url, { api: { budgetMs: 19_000, maxRetries: 10 } });
    await problemOf(get(client));
    expect(client.delays).toEqual([550, 1050, 2050, 4050, 4050, 4050]);
    expect(server.seen).toHaveLength(7);
  });

  test('Ctrl-C before anything was sent', async () => {
    const server = await serveHttp((_, response) => json(response, thing));
    const client = await clientOf(server.url, { api: { signal: AbortSignal.abort() } });
    expect(await problemOf(create(client))).toMatchObject({
      kind: 'interrupted',
      message: `interrupted${unchanged}`,
    });
    expect(server.seen).toHaveLength(0);
  });

  test('Ctrl-C with a write under way', async () => {
    const stop = new AbortController();
    const server = await serveRaw(() => stop.abort());
    expect(await problemOf(create(await clientOf(server.url, { api: { signal: stop.signal } })))).toMatchObject({
      kind: 'interrupted',
      message: 'outcome unknown; the change may have been applied: interrupted before the response came',
      details: { extra: { request_sent: true } },
    });
  });

  test('Ctrl-C in a pause', async () => {
    const stop = new AbortController();
    const server = await serveHttp((_, response) => json(response, {}, 500));
    const clock = {
      now: () => new Date(0),
      elapsed: () => 0,
      random: () => 0,
      sleep: async () => {
        stop.abort();
        throw stop.signal.reason;
      },
    };
    const client = await clientOf(server.url, { api: { signal: stop.signal, clock } });
    expect((await problemOf(get(client))).kind).toBe('interrupted');
    expect(server.seen).toHaveLength(1);
  });
});

describe('lists', () => {
  const pageOf = (page: number, pages: number) => ({
    response: [{ id: page * 2 - 1 }, { id: page * 2 }],
    count: 2,
    pagination: { previous: null, next: page < pages ? page + 1 : null, current: page, per_page: 2, count: 4, pages },
  });

  test('come with all their pages, over no more connections than are read at once', async () => {
    const server = await serveHttp(({ url }, response) =>
      json(response, pageOf(Number(/page=(\d+)/.exec(url)?.[1] ?? 1), 3)),
    );
    const client = await clientOf(server.url);
    expect(await client.api.call(things.list, {})).toEqual([1, 2, 3, 4, 5, 6].map((id) => ({ id })));
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/api/3/things',
      '/api/3/things?page=2',
      '/api/3/things?page=3',
    ]);
    expect(server.connections()).toBe(2);
    expect(client.warnings).toEqual([]);
  });

  test('stop at the limit', async () => {
    const server = await serveHttp((_, response, nth) => json(response, pageOf(nth, 9)));
    const client = await clientOf(server.url);
    expect(await client.api.call(things.list, {}, { limit: 3 })).toEqual([1, 2, 3].map((id) => ({ id })));
    expect(server.seen).toHaveLength(2);
  });

  test('that cannot be completed are a problem', async () => {
    const server = await serveHttp((_, response, nth) =>
      json(response, { ...pageOf(1, 3), pagination: { next: 2, current: nth } }),
    );
    const client = await clientOf(server.url);
    expect(await problemOf(client.api.call(things.list, {}))).toMatchObject({
      kind: 'unavailable',
      message: 'the list is incomplete: after page 2 the service names page 2 as the next',
    });
  });
});
