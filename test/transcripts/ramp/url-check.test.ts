import { expect, test } from 'vitest';
import { readCanaryTest, requestCountFor, type UrlRules, urlCheck } from '../../../src/commands/variant/ramp/checks.ts';
import { probe } from '../../../src/http/transport/probe.ts';
import { type Answered, startHealth } from '../../support/health.ts';

const canary = '9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930';
const stable = 'd8b847daf0a06d549f0919d2c59a146e283b8b78';
const never = new AbortController().signal;

/** What one run of a check finds at an address, and what the address saw. */
async function check(answer: (count: number) => Answered | undefined, more: Partial<UrlRules> = {}, share = 5) {
  const { url, seen } = await startHealth(answer);
  const host = {
    sleep: async () => undefined,
    probeUrl: (at: URL, limits: { timeoutMs: number; signal: AbortSignal }) =>
      probe(at, { ...limits, userAgent: 'test', connectTimeoutMs: 1000, env: {} }),
  };
  const rules = { timeoutMs: 2000, commit: '9d4e1f7', ...more };
  const { result, reason, isNetwork } = await urlCheck(new URL(url), rules, host).run({ share, env: {} }, never);
  return { result, reason, isNetwork, seen };
}

const isCanary = readCanaryTest('X-Revision: {commit}')(canary);
const good = { status: 200, revision: stable };
const bad = { status: 500, revision: canary.slice(0, 7) };

test('enough requests meet a canary with 95 %', () => {
  expect([1, 5, 25, 50, 99, 100].map(requestCountFor)).toEqual([60, 59, 11, 5, 1, 1]);
});

test('a header names the canary by seven digits of its commit or more', () => {
  const of = (value: string, pattern = 'X-Revision: {commit}') =>
    readCanaryTest(pattern)(canary)({ 'x-revision': value });
  expect([canary, canary.slice(0, 7), canary.slice(0, 12)].map((value) => of(value))).toEqual([true, true, true]);
  expect([stable, canary.slice(0, 6), '', `${canary}0`].map((value) => of(value))).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(of(`v1-${canary.slice(0, 8)}-x`, 'x-revision: v1-{commit}-x')).toBe(true);
  expect(() => of('', 'X-Revision')).toThrow("--only-from must be a header such as 'X-Revision: {commit}'");
});

test('a bad canary is met where it has 5 %, and other answers do not count', async () => {
  const { result, reason, seen } = await check((count) => (count === 20 ? bad : good), { isCanary });
  expect({ result, reason, requests: seen.length }).toEqual({ result: 'failed', reason: 'status 500', requests: 20 });
  expect(await check((count) => (count === 20 ? { status: 200, revision: canary } : good), { isCanary })).toMatchObject(
    {
      result: 'good',
    },
  );
});

test('without an answer of the canary the step is held', async () => {
  const { result, reason, seen } = await check(() => good, { isCanary });
  expect({ result, reason, requests: seen.length }).toEqual({
    result: 'held',
    reason: 'no answer of commit 9d4e1f7 in 59 requests',
    requests: 59,
  });
});

test('where the other version fails too it is not the doing of the canary', async () => {
  const { result, reason } = await check((count) => (count === 2 ? bad : { status: 502, revision: stable }), {
    isCanary,
  });
  expect({ result, reason }).toEqual({
    result: 'held',
    reason: 'the other version fails too (status 502); status 500',
  });
});

test('an answer that is lost is a failure while the other version answers', async () => {
  const lost = await check((count) => (count === 1 ? undefined : good), { isCanary });
  expect(lost).toMatchObject({ result: 'failed', isNetwork: false });
  const all = await check(() => undefined, { isCanary });
  expect(all).toMatchObject({ result: 'failed', isNetwork: true });
  expect(all.seen).toHaveLength(3);
});

test('2xx with the text is good; no redirect is followed, and no credential is sent', async () => {
  expect(await check(() => ({ status: 204 }))).toMatchObject({ result: 'good' });
  expect(await check(() => ({ status: 200, body: 'ok ready' }), { expect: 'ready' })).toMatchObject({ result: 'good' });
  expect(await check(() => ({ status: 200, body: 'ok' }), { expect: 'ready' })).toMatchObject({
    result: 'failed',
    reason: 'status 200 without "ready"',
  });
  const far = `${'x'.repeat(70_000)}ready`;
  expect(await check(() => ({ status: 200, body: far }), { expect: 'ready' })).toMatchObject({ result: 'failed' });
  const { result, seen } = await check(() => ({ status: 302, location: '/elsewhere' }));
  expect({ result, requests: seen.length }).toEqual({ result: 'failed', requests: 1 });
  expect(Object.keys(seen[0] ?? {}).toSorted()).toEqual([
    'accept',
    'accept-encoding',
    'connection',
    'host',
    'user-agent',
  ]);
});
