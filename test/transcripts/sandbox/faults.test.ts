import { expect, test } from 'vitest';
import { createFaultFinder, parseFault } from '../../../src/sandbox/server/faults.ts';
import { freshSandbox, rows, shop } from './fresh-sandbox.ts';

test.each([
  ['POST /stacks/*/deployments=503x2', { method: 'POST', path: '/stacks/*/deployments', outcome: 503, times: 2 }],
  ['/accounts=500', { method: undefined, path: '/accounts', outcome: 500, times: Number.POSITIVE_INFINITY }],
  ['* /a=reset', { method: undefined, path: '/a', outcome: 'reset', times: Number.POSITIVE_INFINITY }],
  ['GET /a=b=429x1', { method: 'GET', path: '/a=b', outcome: 429, times: 1 }],
])('reads %s', (rule, fault) => {
  expect(parseFault(rule)).toEqual(fault);
});

test.each(['', 'GET', '/a', '/a=200', '/a=503x0', 'post /a=503', 'GET a=503', '/a=hang'])('refuses "%s"', (rule) => {
  expect(() => parseFault(rule)).toThrow(
    `--fail must be METHOD /PATH=STATUS (400 to 599, reset or throttled), not "${rule}"`,
  );
});

test('the first rule that fits wins until it is used up; a star is one segment', () => {
  const script = createFaultFinder([parseFault('GET /a/*=503x1'), parseFault('/a/*=500x1')]);
  expect(['/a/b', '/a/b/c', '/a', '/a/b', '/a/b'].map((path) => script('GET', path))).toEqual([
    503,
    undefined,
    undefined,
    500,
    undefined,
  ]);
});

test('an injected status comes before anything happens', async () => {
  const { ask, requests } = await freshSandbox({ faults: ['POST /stacks/*/deployments=503x2'] });
  const post = () => ask(`POST /stacks/${shop}/deployments`);
  const answer = await post();
  expect(answer).toMatchObject({
    status: 503,
    body: { error: 'sandbox_fault', details: 'simulated failure (503)' },
  });
  expect([(await post()).status, (await post()).status]).toEqual([503, 200]);
  expect(rows(await ask(`GET /stacks/${shop}/deployments`))[0]?.['id']).toBe(1042);
  expect(requests).toHaveLength(4);
});

test('throttled is 503 in the words of the service, and nothing happens', async () => {
  const { ask } = await freshSandbox({ faults: ['POST /stacks/*/deployments=throttledx1'] });
  const { status, headers, body } = await ask(`POST /stacks/${shop}/deployments`);
  expect([status, headers.get('x-ratelimit-remaining'), body]).toEqual([
    503,
    '0',
    {
      error: 'throttled',
      error_description: 'Too many requests in this hour.',
      details: 'The limit of 3000 requests an hour is reached.',
    },
  ]);
  expect(rows(await ask(`GET /stacks/${shop}/deployments`))[0]?.['id']).toBe(1041);
});

test('a reset comes after the work is done', async () => {
  const { ask } = await freshSandbox({ faults: ['POST /stacks/*/environments=resetx1'] });
  await expect(ask(`POST /stacks/${shop}/environments`, { key: 'A', value: '1' })).rejects.toMatchObject({
    cause: { code: 'ECONNRESET' },
  });
  expect(rows(await ask(`GET /stacks/${shop}/environments?page=2`)).at(-1)).toMatchObject({ key: 'A' });
});

test('faults reach the sign-in too', async () => {
  const { url } = await freshSandbox({ faults: ['POST /oauth/token=500'] });
  expect((await fetch(`${url.origin}/oauth/token`, { method: 'POST' })).status).toBe(500);
});

test('says so when the port is taken', async () => {
  const { url } = await freshSandbox();
  const port = Number(url.port);
  await expect(freshSandbox({ port })).rejects.toMatchObject({
    kind: 'usage',
    message: `cannot listen on port ${port}: the port is in use`,
    details: { hint: { path: 'sandbox start' } },
  });
});
