import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

/** A redeploy whose reply names no deployment, beside deployments of others, and a service that ignores the request. */
const stack = '5f3c0000000000000000000000000001';
const at = `/stacks/${stack}`;
const hash = (digit: string) => digit.repeat(40);
const [before, ours, theirs] = [hash('a'), hash('b'), hash('c')];

interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

const times = { started_at: '2026-05-04T12:00:00Z', finished_at: '2026-05-04T12:00:04Z' };
const success = { outcome: { code: 1, meaning: 'success' }, ...times, is_live: false, is_deploying: false };
const failed = { ...success, outcome: { code: 2, meaning: 'failed' } };
const pending = { ...success, outcome: { code: 0, meaning: 'pending' }, finished_at: null };
const live = { is_live: true };
const byAda = { triggered_by: 'ada@harbour.example', triggered_via: { code: 1, meaning: 'api' } };
const byBob = { triggered_by: 'bob@harbour.example', triggered_via: { code: 1, meaning: 'api' } };
const old = [
  { id: 107, ...success, git_hash: before, ...byBob, ...live },
  { id: 106, ...success, git_hash: ours, ...byBob },
];
const replaced = old.map((row) => ({ ...row, is_live: false }));
const action = { id: 40, action: 'deploy', started_via: 'api', started_at: times.started_at };
const ended = { ...action, finished_at: times.finished_at, finished_success: true, finished_message: 'Done.' };

interface Service {
  readonly reply?: Row | object;
  /** The deployments of each read of the list after the request; the last one stays. */
  readonly lists: readonly (readonly Row[])[];
  /** The record of the new deployment by its ID, where it is not that of the list. */
  readonly record?: Row;
  readonly action?: object;
  readonly caller?: string;
}

async function played(words: string, { reply: answer, lists, record, action, caller }: Service) {
  let sent = false;
  let reads = 0;
  const shown = () => (sent ? (lists[Math.min(reads, lists.length - 1)] ?? old) : old);
  const foundAt = (path: string, rows: readonly Row[]) => {
    if (path === `${at}/actions/40`) return action;
    if (path === '/ping/auth') return caller && { ok: true, user_name: caller };
    const id = Number(/\/deployments\/(\d+)$/.exec(path)?.[1]);
    return [...(record ? [record] : []), ...rows].find((row) => row.id === id);
  };
  const service = await startService(({ method, path }, response) => {
    if (method === 'POST') {
      sent = true;
      return reply(response, { response: answer ?? { ok: true, message: 'Queued.', queued: true } });
    }
    const rows = shown();
    if (path === `${at}/deployments`) {
      if (sent) reads += 1;
      return reply(response, { response: rows });
    }
    const found = foundAt(path, rows);
    return reply(response, found ? { response: found } : { error: 'not_found' }, found ? 200 : 404);
  });
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token', STACKOPS_STACK: stack };
  const { code, stdout, stderr } = await run(
    `${words} ${words.includes(' wait') ? '' : '-y --wait '}--wait-timeout 1m`.split(' '),
    { env },
  );
  const [said = ''] = stderr.split('\n').filter((line) => line.startsWith('error: '));
  return { code, stdout, said, stderr };
}

const rollback = 'deployment rollback';
const redeploy = `redeploy --git-ref ${ours}`;

test.each<readonly [string, string, Row]>([
  ['another commit', redeploy, { id: 108, ...success, git_hash: theirs }],
  ['another ref', 'redeploy --git-ref release', { id: 108, ...success, git_hash: theirs, git_ref: 'main' }],
  ['another channel', 'redeploy', { id: 108, ...success, triggered_via: { code: 2, meaning: 'hook' } }],
  ['another user', 'redeploy', { id: 108, ...success, ...byBob }],
])('a new deployment with %s is not the requested one: the next one is', async (_, words, other) => {
  const mine = { id: 109, ...failed, git_hash: ours, git_ref: 'release', ...byAda };
  const lists = [
    [other, ...old],
    [{ ...mine, ...pending }, other, ...old],
    [mine, { ...other, ...live }, ...replaced],
  ];
  const { code, said } = await played(words, { lists, caller: 'ada@harbour.example' });
  expect([code, said]).toEqual([9, 'error: deployment 109 failed after 4s (commit bbbbbbb). Live is still 108.']);
});

test.each([rollback, 'restart', redeploy])('%s: where only another one comes, the wait is 8', async (words) => {
  const lists = [[{ id: 108, ...success, git_hash: theirs, ...live }, ...replaced]];
  expect(await played(words, { lists })).toMatchObject({
    code: 8,
    stdout: 'starting deployment (queued): Queued.\n',
    said: 'error: the deployment has not finished after 1m (queued); it continues',
  });
});

test('the one that the reply names, with another commit, is 9 and names both', async () => {
  const answer = { id: 108, message: 'Queued.', queued: true };
  const lists = [[{ id: 108, ...success, git_hash: theirs, ...live }, ...replaced]];
  expect(await played(rollback, { reply: answer, lists })).toMatchObject({
    code: 9,
    stdout: '',
    said: 'error: deployment 108 succeeded after 4s (commit ccccccc), but commit bbbbbbb was requested. Live is 108.',
  });
});

test.each([rollback, redeploy])('%s: what the list does not show as live is 9', async (words) => {
  const answer = { id: 108, message: 'Queued.', queued: true };
  const lists = [[{ id: 108, ...success, git_hash: ours }, ...old]];
  expect(await played(words, { reply: answer, lists })).toMatchObject({
    code: 9,
    stdout: '',
    said: 'error: deployment 108 succeeded after 4s (commit bbbbbbb), but is not live. Live is still 107.',
  });
});

test('a record that calls itself live is not believed against the list', async () => {
  const row = { id: 108, ...success, git_hash: ours };
  const { code, stdout } = await played(`${rollback} --json --fields change,after.is_live`, {
    reply: { id: 108, message: 'Queued.', queued: true },
    record: { ...row, ...live },
    lists: [[row, ...old]],
  });
  expect([code, stdout]).toEqual([9, '{"change":"failed","after":{"is_live":false}}\n']);
});

test('what is live a moment after its end is live', async () => {
  const row = { id: 108, ...success, git_hash: ours };
  const lists = [
    [row, ...old],
    [row, ...old],
    [{ ...row, ...live }, ...replaced],
  ];
  expect(await played(rollback, { lists })).toMatchObject({
    code: 0,
    stdout: 'deployment 108 succeeded after 4s: commit bbbbbbb\nPreviously live: deployment 107, commit aaaaaaa\n',
  });
});

test.each([rollback, 'deployment create'])('%s: an action that ended without a deployment is 11', async (words) => {
  const answer = { ok: true, message: 'Queued.', queued: true, async_action_id: 40 };
  expect(await played(words, { reply: answer, lists: [old], action: ended })).toMatchObject({
    code: 11,
    said: 'error: action 40 succeeded, but no new deployment is shown. Live is still 107.',
  });
});

test('the deployment of an action that succeeded is the new one that succeeded', async () => {
  const answer = { ok: true, message: 'Queued.', queued: true, async_action_id: 40 };
  const lists = [
    [{ id: 109, ...success, git_hash: theirs, ...live }, { id: 108, ...failed, git_hash: theirs }, ...replaced],
  ];
  expect(await played('redeploy', { reply: answer, lists, action: ended })).toMatchObject({
    code: 0,
    stdout: 'deployment 109 succeeded after 4s: commit ccccccc\nPreviously live: deployment 107, commit aaaaaaa\n',
  });
});

test('a lost reply is not settled by the deployment of another', async () => {
  const lists = [[{ id: 108, ...success, git_hash: theirs, ...live }, ...replaced]];
  const service = await startService(({ method, path }, response) => {
    if (method === 'POST') {
      sent = true;
      return response.destroy();
    }
    const rows = sent ? lists[0] : old;
    return path.endsWith('/deployments')
      ? reply(response, { response: rows })
      : reply(response, { error: 'not_found' }, 404);
  });
  let sent = false;
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token', STACKOPS_STACK: stack };
  expect(await run(['deployment', 'rollback', '-y'], { env })).toMatchObject({ code: 11, stdout: '' });
});

test('commits are compared in any case and length', async () => {
  const lists = [[{ id: 108, ...success, git_hash: ours.slice(0, 7).toUpperCase(), ...live }, ...replaced]];
  expect(await played(redeploy, { lists })).toMatchObject({
    code: 0,
    stdout: 'deployment 108 succeeded after 4s: commit BBBBBBB\nPreviously live: deployment 107, commit aaaaaaa\n',
  });
  expect((await played(`deployment wait --commit ${before.toUpperCase()}`, { lists })).stdout).toBe(
    'deployment 107 succeeded after 4s: commit aaaaaaa\n',
  );
});

test('a deployment has one word in every command', async () => {
  const row = (id: number, more: object) => ({ id, outcome: null, started_at: null, finished_at: null, ...more });
  const rows = [
    row(4, {}),
    row(3, { is_deploying: true, started_at: times.started_at, outcome: { code: 0, meaning: 'pending' } }),
    row(2, { ...times }),
    row(1, { ...success, ...live }),
  ];
  const service = await startService(({ method, path }, response) => {
    if (method !== 'GET') return reply(response, { response: { ok: true, message: 'Queued.' } });
    const id = Number(/\/deployments\/(\d+)$/.exec(path)?.[1]);
    if (id) return reply(response, { response: rows.find((one) => one.id === id) });
    return path.endsWith('/deployments') ? reply(response, { response: rows }) : reply(response, { error: 'x' }, 404);
  });
  onTestFinished(() => service.close());
  const env = { ...service.env, STACKOPS_STACK: stack };
  const play = async (words: string) => run(words.split(' '), { env });
  expect((await play('deployment list --columns id,outcome')).stdout).toBe(
    '4\tqueued\n3\tdeploying\n2\tunknown\n1\tsuccess\n',
  );
  expect((await play('deployment list --json --fields id,outcome --limit 1')).stdout).toBe(
    '[{"id":4,"outcome":null}]\n',
  );
  const status = await play('status --only deployment --exit-code');
  expect(status.stdout).toMatch(/\t4\tqueued\t.*\n.*\t3\tdeploying\t.*\n.*\t2\tunknown\t.*\n.*\t1\tlive\t/);
  expect([status.code, status.stderr]).toEqual([9, `error: ${stack}: outcome of deployment 2 unknown\n`]);
  expect((await play('deployment wait 4 --wait-timeout 1s')).stderr).toContain('deployment 4: queued\n');
  const cancelled = await play('deployment cancel 3 -y --json --fields before,after');
  expect(cancelled.stdout).toBe('[{"before":"deploying","after":"deploying"}]\n');
  expect(await play('deployment wait 2')).toMatchObject({
    code: 11,
    stderr: expect.stringContaining('error: deployment 2 ended with an unknown outcome after 4s\n'),
  });
});

test.each([rollback, 'restart', redeploy, `deployment promote --from ${'7'.repeat(32)}`])(
  '%s: no commit is sent to a container stack, though its deployments show one',
  async (words) => {
    const shop = { uid: stack, name: 'shop', environment: 'production', framework: 'docker' };
    const from = { uid: '7'.repeat(32), name: 'blog', environment: 'staging' };
    const service = await startService(({ path }, response) => {
      if (path === '/stacks') return reply(response, { response: [shop, from] });
      if (path === at) return reply(response, { response: shop });
      return reply(response, { response: path.includes(from.uid) ? [{ ...old[0], git_hash: theirs }] : old });
    });
    onTestFinished(() => service.close());
    const env = { ...service.env, STACKOPS_STACK: stack };
    const { code, stderr } = await run(`${words} -y`.split(' '), { env });
    expect([code, stderr.split('\n')[0]]).toEqual([
      6,
      'error: shop/production is a container stack (docker), to which no commit can be deployed; nothing was sent',
    ]);
    expect(stderr).toMatch(/\nhint: to .*\bredeploy\b|\nhint: to .*--services/);
    expect(service.seen.every(({ method }) => method === 'GET')).toBe(true);
  },
);
