import { expect, test } from 'vitest';
import type { SandboxBehaviour } from '../../../src/sandbox/answer.ts';
import { startSandbox } from '../../support/sandbox.ts';
import { run } from '../../support/stackops.ts';

const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

/** The requests of each poll over a socket, with what was printed: `actions/812`. The first poll follows the request to deploy. */
async function polls(words: string, { fault, ...behaviour }: SandboxBehaviour & { readonly fault?: string } = {}) {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const faults = fault === undefined ? [] : [fault];
  const sandbox = await startSandbox({ ...behaviour, faults, now: () => new Date(nowMs) });
  const ends: number[] = [];
  const slept = (ms: number) => {
    nowMs += ms;
    ends.push(sandbox.requests.length);
  };
  const { env } = sandbox;
  const ran = await run(words.split(' '), { env, slept });
  const first = sandbox.requests.findIndex(({ method }) => method === 'POST') + 1;
  const seen = sandbox.requests.map(({ path }) => path.split(`${shop}/`)[1] ?? path);
  const bounds = [first, ...ends, seen.length];
  return { ...ran, polls: bounds.slice(1).map((end, at) => seen.slice(bounds[at], end)) };
}

const redeploy = `redeploy -s ${shop} -y --wait --poll 1s`;
const deployed =
  'deployment 1042 succeeded after 4s: commit d9a2ece\nPreviously live: deployment 1041, commit d8b847d\n';

test('of a deployment with an action the action is polled, and deployments are listed when they may show more', async () => {
  const { code, stdout, polls: seen } = await polls(redeploy, { replies: 'actions' });
  expect([code, stdout]).toEqual([0, deployed]);
  expect(seen).toEqual([
    ['actions/812', 'deployments'],
    ['actions/812', 'deployments'],
    ['actions/812'],
    ['actions/812'],
    ['actions/812'],
    ['actions/812', 'deployments', 'deployments'],
  ]);
});

test('without an action the deployment is polled, and the list shows at its end whether it is live', async () => {
  const { code, stdout, polls: seen } = await polls(redeploy);
  expect([code, stdout]).toEqual([0, deployed]);
  expect(seen).toEqual([...Array(5).fill(['deployments/1042']), ['deployments/1042', 'deployments']]);
});

test('where the record of the action cannot be read, the deployment is polled once it is found', async () => {
  const {
    code,
    stdout,
    polls: seen,
  } = await polls(redeploy, {
    replies: 'actions',
    fault: 'GET /stacks/*/actions/*=404',
  });
  expect([code, stdout]).toEqual([0, deployed]);
  expect(seen).toEqual([
    ['actions/812', 'deployments', '/ping/auth'],
    ...Array(4).fill(['deployments/1042']),
    ['deployments/1042', 'deployments'],
  ]);
});

test('a wait that times out names the deployment that was found', async () => {
  const {
    code,
    stdout,
    stderr,
    polls: seen,
  } = await polls(`${redeploy} --git-ref slow --wait-timeout 4s`, {
    replies: 'actions',
  });
  expect(seen.slice(2)).toEqual([['actions/812'], ['actions/812'], ['actions/812']]);
  expect([code, stdout]).toEqual([8, 'deployment 1042 deploying: commit 1ae266d\n']);
  expect(stderr).toBe(
    '12:00:00 deployment 1042: queued\n' +
      '12:00:01 deployment 1042: deploying\n' +
      `undo: stackops deployment cancel 1042 -s ${shop}\n` +
      'error: deployment 1042 has not finished after 4s (deploying); it continues\n' +
      `hint: stackops deployment wait 1042 -s ${shop}\n`,
  );
});
