import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { clientOf, things } from './clients.ts';
import { serveHttp } from './servers.ts';

const pageIn = (url = '') => Number(/page=(\d+)/.exec(url)?.[1] ?? 1);

/** A service of so many pages; `send` is called with each request, and what it returns sends the page. */
async function pagesOf(pages: number, take: (page: number, send: Send, response: ServerResponse) => void) {
  const server = await serveHttp(({ url }, response) => {
    const current = pageIn(url);
    const body = {
      response: [{ id: current }],
      pagination: { current, next: current < pages ? current + 1 : null, pages },
    };
    const send: Send = (headers = {}, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    take(current, send, response);
  });
  const asked = () => server.seen.map(({ url }) => pageIn(url));
  return { server, asked, client: await clientOf(server.url) };
}

type Send = (headers?: Readonly<Record<string, string>>, status?: number) => void;

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const rows = (to: number) => numbers(1, to).map((id) => ({ id }));

/** Holds answers until so many requests wait, then sends them, the last one first. */
function together(wanted: (answered: number) => number) {
  const held: Send[] = [];
  const counts = { most: 0, answered: 0 };
  const take = (_: number, send: Send): void => {
    held.push(send);
    counts.most = Math.max(counts.most, held.length);
    if (held.length < wanted(counts.answered)) return;
    counts.answered += held.length;
    for (const answer of held.splice(0).reverse()) answer();
  };
  return { take, counts };
}

test('after the first page the others are read together, in order whatever comes first', async () => {
  const { take, counts } = together((answered) => (answered === 0 ? 1 : 3));
  const { client, asked } = await pagesOf(4, take);
  expect(await client.api.call(things.list, {})).toEqual(rows(4));
  expect(asked()).toEqual([1, 2, 3, 4]);
  expect(counts).toEqual({ most: 3, answered: 4 });
});

test('eight at a time, over eight connections at most', async () => {
  const { take, counts } = together((answered) => Math.min(8, answered === 0 ? 1 : 17 - answered));
  const { client, server } = await pagesOf(17, take);
  expect(await client.api.call(things.list, {})).toEqual(rows(17));
  expect(counts).toEqual({ most: 8, answered: 17 });
  expect(server.connections()).toBe(8);
});

test('several lists share the eight', async () => {
  let underWay = 0;
  let most = 0;
  const { client } = await pagesOf(6, (_, send) => {
    underWay += 1;
    most = Math.max(most, underWay);
    setImmediate(() => {
      underWay -= 1;
      send();
    });
  });
  const lists = await Promise.all(numbers(1, 6).map(() => client.api.call(things.list, {})));
  expect(lists).toEqual(lists.map(() => rows(6)));
  expect(most).toBeLessThanOrEqual(8);
});

test('who wants no more pages ends those that are under way, and asks for no other', async () => {
  const closed: Promise<unknown>[] = [];
  const { client, asked } = await pagesOf(99, (page, send, response) => {
    if (page < 3) return send();
    closed.push(once(response, 'close'));
  });
  const taken: unknown[] = [];
  await client.api.eachPage(things.list, {}, async (page) => {
    taken.push(...page);
    return taken.length < 2;
  });
  await Promise.all(closed);
  expect(taken).toEqual(rows(2));
  expect(Math.max(...asked())).toBeLessThanOrEqual(10);
});

test.each([
  ['a refusal for its rate', { 'retry-after': '1' }, 429],
  ['less than a tenth of its limit left', { 'x-ratelimit-limit': '3000', 'x-ratelimit-remaining': '299' }, 200],
])('after %s one request at a time', async (_, headers, status) => {
  const underWay: number[] = [];
  let open = 0;
  let isFirst = true;
  const { client } = await pagesOf(12, (page, send) => {
    if (page === 1 && isFirst) {
      isFirst = false;
      return send(headers, status);
    }
    open += 1;
    underWay.push(open);
    setImmediate(() => {
      open -= 1;
      send();
    });
  });
  expect(await client.api.call(things.list, {})).toEqual(rows(12));
  expect(new Set(underWay)).toEqual(new Set([1]));
});

test('a tenth of the limit left is enough for all at once', async () => {
  const { take, counts } = together((answered) => (answered === 0 ? 1 : 3));
  const plenty = { 'x-ratelimit-limit': '3000', 'x-ratelimit-remaining': '300' };
  const { client } = await pagesOf(4, (page, send) => take(page, () => send(plenty)));
  expect(await client.api.call(things.list, {})).toEqual(rows(4));
  expect(counts.most).toBe(3);
});
