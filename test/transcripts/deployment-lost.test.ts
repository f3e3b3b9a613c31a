import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { ownReference, run, temporaryFolder } from '../support/stackops.ts';

const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const redeploy = ['redeploy', '-s', 'shop', '-y'];

/** A service over a socket, with these faults and a clock of its own, and the program before it. */
async function served(...faults: readonly string[]) {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const sandbox = await startSandbox({ faults, now: () => new Date(nowMs) });
  const { env } = sandbox;
  const slept = (ms: number) => {
    nowMs += ms;
  };
  const writes = () => sandbox.requests.filter(({ method }) => method !== 'GET').length;
  return { writes, stackops: (words: readonly string[], more = {}) => run(words, { env: { ...env, ...more }, slept }) };
}

const lostPost = 'POST /stacks/*/deployments=resetx1';
const noActions = 'GET /stacks/*/actions=404';

test('a lost answer is settled by the reference of the run, and nothing is repeated', async () => {
  const { writes, stackops } = await served(lostPost);
  const { code, stdout, stderr } = await stackops(redeploy);
  expect([code, writes()]).toEqual([0, 1]);
  expect(stdout).toBe('deployment 1042 queued: no response; action 812 has its reference\n');
  expect(stderr).toMatch(/^warning: .*; checked afterwards: the change was applied$/m);
  expect(stderr).toContain(`undo: stackops deployment cancel 1042 -s shop\n`);
});

test('with --wait it is watched to its end', async () => {
  const { stackops } = await served(lostPost);
  const { code, stdout } = await stackops([
    ...redeploy,
    '--wait',
    '--json',
    '--fields',
    'id,change,after.outcome.meaning,before.id',
  ]);
  expect([code, stdout]).toEqual([
    0,
    '{"id":1042,"change":"deployed","after":{"outcome":{"meaning":"success"}},"before":{"id":1041}}\n',
  ]);
});

test('a reference that was used before settles nothing by itself', async () => {
  const mine = [...redeploy, '--user-reference', 'ci-4710'];
  const taken = await (await served(lostPost)).stackops(mine);
  expect([taken.code, taken.stdout]).toEqual([
    0,
    'deployment 1042 queued: no response; action 812 has its reference\n',
  ]);
  const { stackops } = await served('POST /stacks/*/deployments=500x1');
  const { code, stdout } = await stackops(mine);
  expect([code, stdout]).toEqual([11, '']);
});

test('where no actions are shown, the only new deployment is probably the one', async () => {
  const { writes, stackops } = await served(lostPost, noActions);
  const kept = { XDG_STATE_HOME: temporaryFolder() };
  const { code, stdout, stderr } = await stackops([...redeploy, '--json', '--fields', 'id,change,after.queued'], kept);
  expect((await stackops(['history', '--json', '--fields', 'exit_code'], kept)).stdout).toBe('[{"exit_code":8}]\n');
  expect([code, stdout, writes()]).toEqual([8, '{"id":1042,"change":"queued","after":{"queued":true}}\n', 1]);
  expect(stderr).toMatch(/^\{"warning":".*; checked afterwards: the change was probably applied"\}$/m);
  expect(stderr).toContain(`"hint":"stackops deployment wait 1042 -s shop`);
  const help = (await stackops(['redeploy', '--help'])).stdout.replaceAll(/\s+/g, ' ');
  expect(help).toContain('8 with --wait: not finished in time; else no response, probably started');
});

test('where nothing shows it, the outcome is unknown and the reference is shown', async () => {
  for (const faults of [['POST /stacks/*/deployments=500x1'], [lostPost, noActions, 'GET /stacks/*/deployments=403']]) {
    const { stackops } = await served(...faults);
    const { code, stdout, stderr } = await stackops([...redeploy, '--json']);
    expect([code, stdout]).toEqual([11, '']);
    const last = stderr.trimEnd().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({ error: { code: 'outcome_unknown', user_reference: ownReference } });
  }
});

test('without reconciling nothing is checked', async () => {
  const { stackops } = await served(lostPost);
  expect((await stackops(redeploy, { STACKOPS_RECONCILE: 'off' })).code).toBe(11);
});

test('a rollback whose answer was lost is found and watched like any deployment', async () => {
  const { writes, stackops } = await served(lostPost);
  const { code, stdout } = await stackops(['deployment', 'rollback', '-s', 'shop', '-y']);
  expect([code, writes()]).toEqual([0, 1]);
  expect(stdout).toBe(
    'deployment 1042 succeeded after 4s: commit e5e13e8\nPreviously live: deployment 1041, commit d8b847d\n',
  );
});

test('of several, a cancellation whose answer was lost stops the rest', async () => {
  const { stackops } = await served('DELETE /stacks/*/deployments/1042=reset');
  for (const _ of [1, 2]) await stackops([...redeploy, '-q']);
  const cancel = 'deployment cancel 1042 1043 -s shop -y --json --fields id,change,error.code'.split(' ');
  const { code, stdout } = await stackops(cancel);
  const [first] = JSON.parse(stdout) as readonly unknown[];
  expect(first).toEqual({ id: 1042, change: 'unknown', error: { code: 'outcome_unknown' } });
  expect([1, 11]).toContain(code);
});

test('contact that is lost for a moment ends no wait', async () => {
  const brief = await served('GET /stacks/*/deployments/1042=503x3');
  await brief.stackops([...redeploy, '-q']);
  expect((await brief.stackops(['deployment', 'wait', '1042', '-s', 'shop'])).code).toBe(0);
});

test('a share whose answer was lost is read back', async () => {
  const lost = await served('PUT /stacks/*/application_variants/*=resetx1');
  const weight = ['variant', 'weight', 'va-canary', '25', '-s', 'shop'];
  const found = await lost.stackops(weight);
  expect([found.code, found.stdout, lost.writes()]).toEqual([0, 'variant va-canary updated (10 % -> 25 %)\n', 1]);
});

test('a commit whose answer was lost is unknown: others may have made it', async () => {
  const { stackops } = await served('PUT /stacks/*/application_variants/*=resetx1');
  const { code, stdout } = await stackops(['variant', 'commit', 'va-canary', '-s', 'shop', '-y']);
  expect([code, stdout]).toEqual([11, '']);
});

test('contact that is lost while waiting is 7, and says that the deployment is still running', async () => {
  let sent = false;
  const { url } = await startService(({ method, path }, response) => {
    if (sent) {
      response.destroy();
      return;
    }
    if (method === 'POST') sent = true;
    reply(response, { response: path.endsWith('deployments') && !sent ? [] : { id: 7, queued: true } });
  });
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  const words = ['redeploy', '-s', shop, '-y', '--wait', '--json'];
  const { code, stdout, stderr } = await run(words, { env });
  expect([code, stdout]).toEqual([7, '']);
  const { error } = JSON.parse(stderr);
  expect(error).toMatchObject({
    code: 'unavailable',
    accepted: true,
    hint: `stackops deployment wait 7 -s ${shop}`,
  });
  expect(error.message).toMatch(/^deployment 7 can no longer be watched: /);
});

test('a check that is not answered ends with --timeout, and the wait with it', async () => {
  let sent = false;
  const { url } = await startService(({ method, path }, response) => {
    if (method === 'POST') sent = true;
    else if (sent) return;
    if (method === 'POST') return reply(response, { response: { id: 7, queued: true } });
    reply(response, { response: path.endsWith('deployments') ? [] : {} });
  });
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  const words = ['redeploy', '-s', shop, '-y', '--wait', '--wait-timeout', '1s', '--timeout', '1s'];
  const { code, stderr } = await run(words, { env });
  expect(stderr).toContain('deployment 7 could not be read within 1s: no response');
  expect(code).toBe(8);
});
