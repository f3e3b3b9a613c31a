import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { stack, uid, watch } from '../support/watch.ts';

const hourMs = 3_600_000;
const begun = Date.parse('2026-05-04T12:00:00Z');
/** Somebody sets the clock in the first pause of the program. */
const jumps = [
  ['an hour forward', hourMs],
  ['an hour back', -hourMs],
] as const;

/** The clock of the machine, which is set once. */
function settable(byMs: number) {
  let aheadMs = 0;
  return {
    now: () => new Date(begun + aheadMs),
    set: () => {
      aheadMs = byMs;
    },
  };
}

const watches = [
  ['status --watch', `status -s ${uid} --watch --json`],
  ['status --watch of several stacks', 'status --watch --json'],
  ['deployment list --watch', `deployment list -s ${uid} --watch --json`],
] as const;

for (const [jump, byMs] of jumps) {
  test.each(watches)(`the clock is set ${jump}: %s reads as it would have`, async (_, words) => {
    const watched = async (ms: number) => {
      const { now, set } = settable(ms);
      const replies = { stacks: [stack('shop'), stack('blog')] };
      const { code, requests, seconds } = await watch(words, { replies, at: { 1: set }, now });
      return { code, requests, seconds };
    };
    const usual = await watched(0);
    expect(Object.values(usual.requests).every((count) => count > 1)).toBe(true);
    expect(await watched(byMs)).toEqual(usual);
  });

  test.each([
    ['succeeds', 1, '10m', 0],
    ['is not over in time', 0.001, '30s', 8],
  ])(`the clock is set ${jump}: a wait that %s takes as long as it would have`, async (_, speed, limit, expected) => {
    const waited = async (ms: number) => {
      const { now, set } = settable(ms);
      let passedMs = 0;
      const { env } = await startSandbox({ speed, now: () => new Date(begun + passedMs) });
      const slept = (pauseMs: number) => {
        passedMs += pauseMs;
        set();
      };
      const words = `redeploy -s ${uid} -y --wait --poll 1s --wait-timeout ${limit}`;
      const { code, stdout, stderr } = await run(words.split(' '), { env, now, slept });
      return { code, stdout, stderr: stderr.replace(/^\d\d:\d\d:\d\d /gm, ''), isOver: passedMs > 3_000 };
    };
    const usual = await waited(0);
    expect([usual.code, usual.isOver]).toEqual([expected, true]);
    expect(await waited(byMs)).toEqual(usual);
  });

  test(`the clock is set ${jump}: a read is repeated as often as it would have been`, async () => {
    const { now, set } = settable(byMs);
    const service = await startService((_, response) => {
      const status = service.seen.length === 4 ? 200 : 503;
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '10' }).end('{"response":[]}');
    });
    const { env } = service;
    const { code } = await run(['account', 'list', '--json'], { env, now, slept: set });
    expect([code, service.seen.length]).toEqual([0, 4]);
  });

  test(`the clock is set ${jump}: a lost change is looked for as long as it would have been`, async () => {
    const { now, set } = settable(byMs);
    const sandbox = await startSandbox({
      faults: ['POST /stacks/*/deployments=500', 'GET /stacks/*/actions=503'],
      now: () => new Date(begun),
    });
    const env = { ...sandbox.env, STACKOPS_RETRIES: '0' };
    let passedMs = 0;
    const slept = (ms: number) => {
      passedMs += ms;
      set();
    };
    const { code } = await run(`redeploy -s ${uid} -y`.split(' '), { env, now, slept });
    expect([code, passedMs]).toEqual([11, 30_000]);
  });
}
