import { expect, onTestFinished, test } from 'vitest';
import { seedMoment, seedState } from '../../../src/sandbox/seed/seed.ts';
import { serveApplication } from '../../../src/sandbox/server/health.ts';
import { ownEnvironment, runBuilt, start } from '../../support/built.ts';
import { startSandbox } from '../../support/sandbox.ts';

/** A served sandbox with its application, and an environment in which commands act on its stack `shop`. */
async function served(options: Parameters<typeof startSandbox>[0] = {}, failAbove?: number) {
  const state = seedState(seedMoment);
  const sandbox = await startSandbox({ state, ...options });
  const health = await serveApplication({ ...sandbox, port: 0, state, ...(failAbove !== undefined && { failAbove }) });
  onTestFinished(() => health.close());
  const env = {
    ...ownEnvironment(),
    ...sandbox.env,
    STACKOPS_STACK: '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60',
  };
  return { health, env };
}

test('the application of a sandbox answers for both versions; a ramp meets a bad canary and takes it back', async () => {
  const { health, env } = await served({ now: () => new Date() }, 30);
  const words = `--steps 30,60 --every 1s --interval 200ms --initial-delay 0s -y --check-url ${health.url.href}`.split(
    ' ',
  );
  const ran = await runBuilt(['variant', 'ramp', ...words, '--only-from', 'X-Revision: {commit}'], { env });
  expect(ran.code).toBe(9);
  expect(ran.stderr).toMatch(
    /error: check 127\.0\.0\.1:\d+ failed \(step 2 of 2, 60 %\): status 500; va-canary has 0 %/,
  );
  expect(ran.stderr).not.toContain('warning');
});

test('without --only-from the preflight says in figures what the checks miss', async () => {
  const { health, env } = await served();
  await runBuilt(['variant', 'weight', 'va-canary', '0', '-y'], { env });
  const words = `--steps 5,100 --every 10m -y -n -q --check-url ${health.url.href}`.split(' ');
  const { code, stderr } = await runBuilt(['variant', 'ramp', ...words], { env });
  expect([code, stderr]).toEqual([
    0,
    'warning: at 5 %, 20 checks of a public address miss the canary with 36 %; --only-from tells it apart\n',
  ]);
});

test('a canary that was deployed answers once its deployment is over, at the speed of the sandbox', async () => {
  let nowMs = seedMoment.getTime();
  const { health, env } = await served({ now: () => new Date(nowMs), speed: 10 });
  expect((await runBuilt('variant weight va-canary 0 -s shop -y'.split(' '), { env })).code).toBe(0);
  const commit = 'c'.repeat(40);
  const words = `redeploy -s shop --git-ref ${commit} --rollout-strategy canary --canary-percentage 100 -y`;
  expect((await runBuilt(words.split(' '), { env })).code).toBe(0);
  const revision = async () => (await fetch(health.url)).headers.get('x-revision');
  expect(await revision()).not.toBe(commit);
  nowMs += 600;
  expect(await revision()).toBe(commit);
});

test('a bug in the sandbox is an answer, not the end of it', async () => {
  const catchUp = () => {
    throw new Error('oops');
  };
  const health = await serveApplication({ port: 0, state: seedState(seedMoment), catchUp });
  onTestFinished(() => health.close());
  const response = await fetch(health.url);
  expect([response.status, await response.text()]).toEqual([500, 'this is a bug in the sandbox: Error: oops\n']);
});

test('sandbox start --health serves it until Ctrl-C', async () => {
  const serving = start(['sandbox', 'start', '--health', '0', '--hang-above', '60']);
  const [, url = ''] = await serving.tells(/an application with a canary is (\S+)/);
  const response = await fetch(url);
  expect([response.status, /^[0-9a-f]{40}$/.test(response.headers.get('x-revision') ?? '')]).toEqual([200, true]);
  serving.kill('SIGINT');
  expect((await serving.ended).signal).toBe('SIGINT');
});
