import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

async function limited(status: number, body: object, headers: Readonly<Record<string, string>> = {}) {
  const service = await startService((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  });
  const { env } = service;
  return { service, play: (words: string) => run(words.split(' '), { env }) };
}

test('503 throttled is the limit of an hour: told with its end by the clock of the service, and not repeated', async () => {
  const body = { error: 'throttled', details: 'Too many requests' };
  const { service, play } = await limited(503, body, { date: 'Mon, 04 May 2026 10:59:59 GMT' });
  expect(await play('account list')).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: limit of 3,000 requests an hour reached until 11:00 UTC (503)\n' + 'hint: retry after 11:00 UTC\n',
  });
  expect(service.seen).toHaveLength(1);
});

test('what the service says of its limit is shown by --verbose', async () => {
  const headers = { 'x-ratelimit-limit': '3600', 'x-ratelimit-remaining': '3597' };
  const { play } = await limited(200, { response: [] }, headers);
  expect((await play('account list -v')).stderr).toMatch(/, x-ratelimit-limit 3600, x-ratelimit-remaining 3597\n/);
});

test('a part of a list is no list', async () => {
  const { play } = await limited(206, { response: [{ id: 1 }] }, { 'content-range': 'items 0-0/9' });
  const { code, stdout, stderr } = await play('account list --json');
  expect([code, stdout, JSON.parse(stderr).error.message]).toEqual([7, '', 'the response is incomplete (206)']);
});
