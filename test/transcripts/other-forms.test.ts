import { expect, test } from 'vitest';
import { reply, type Seen, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

/** Replies that the service's own published material shows, and its document does not. */
const stack = '5f3c0000000000000000000000000001';
const server = 'ab120000000000000000000000000001';
const at = `/stacks/${stack}`;

async function served(answers: Readonly<Record<string, unknown>>) {
  const service = await startService((request: Seen, response) => {
    const known = answers[`${request.method} ${request.path}`];
    reply(
      response,
      known === undefined ? { error: 'not_found' } : { response: known },
      known === undefined ? 404 : 200,
    );
  });
  const env = {
    NO_COLOR: '1',
    ...service.env,
    STACKOPS_STACK: stack,
  };
  const play = (words: string, stdin = '') => run(words.split(' '), { env, stdin });
  return { play, seen: service.seen };
}

const sent = (seen: readonly Seen[]) => seen.map(({ method, path }) => `${method} ${path}`);

const variants = [
  { id: 1, uid: 'va-1', type: 'active', sub_type: null, percentage: 90, git_hash: 'd8b847d' },
  { id: 2, uid: 'va-2', type: 'rollout', sub_type: 'canary', percentage: 10, git_hash: '9d4e1f7' },
  { id: 3, uid: 'va-3', type: 'preview', sub_type: null, percentage: 0, git_hash: '1c2d3e4' },
];
const variantPath = `${at}/application_variants`;

test('a variant that carries type and sub_type is guarded as one that carries variant_type', async () => {
  const { play, seen } = await served({
    [`GET ${variantPath}`]: variants,
    [`DELETE ${variantPath}/va-3`]: { ok: true },
  });
  const list = `hint: stackops variant list -s ${stack}\n`;
  expect((await play('variant weight va-3 20')).stderr).toBe(
    `error: variant "va-3" is a preview, not a canary; nothing was sent\n${list}`,
  );
  expect((await play('variant weight va-1 20')).stderr).toBe(
    `error: variant "va-1" is the active version, not a canary; nothing was sent\n${list}`,
  );
  expect((await play('variant delete va-2 -y')).stderr).toBe(
    `error: variant "va-2" is a canary, not a preview; nothing was sent\n${list}`,
  );
  expect(sent(seen).filter((line) => !line.startsWith('GET'))).toEqual([]);
  expect(await play('variant delete va-3 -y')).toMatchObject({
    code: 0,
    // This service goes on showing it.
    stdout: 'variant va-3: accepted; the service still shows preview, 0 % of traffic, commit 1c2d3e4\n',
  });
});

test('aliases are shown under the declared name to people, and as they were sent in JSON', async () => {
  const { play } = await served({ [`GET ${variantPath}`]: variants });
  expect((await play('variant list --columns uid,variant_type,sub_type')).stdout).toBe(
    'va-1\tactive\t-\nva-2\tcanary\tcanary\nva-3\tpreview\t-\n',
  );
  expect(JSON.parse((await play('variant list --json')).stdout)).toEqual(variants);
  expect((await play('variant list --json --fields uid,type')).stdout).toContain('{"uid":"va-2","type":"rollout"}');
});

const worker = { md5: 'b1', name: 'worker', command: 'work', servers: { 'web-1': 3 }, servers_pauses: { 'web-1': 1 } };
const web = { md5: 'a1', name: 'web', command: 'serve', servers: { 'web-1': 2 }, servers_pauses: {} };

test('of a list of several processes the one of the name or digest is meant', async () => {
  const paths = ['worker', 'b1', 'none'].map((id) => [`GET ${at}/processes/${id}`, [web, worker]]);
  const { play } = await served(Object.fromEntries(paths));
  for (const id of ['worker', 'b1']) {
    expect(JSON.parse((await play(`process get ${id} --json`)).stdout)).toEqual(worker);
  }
  expect(await play('process get none')).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: "none" not found among the 2 that the service returned\nhint: stackops process list -s ${stack}\n`,
  });
});

test('paused processes do not look as if they ran', async () => {
  const { play } = await served({ [`GET ${at}/processes`]: [web, worker], [`GET ${at}/servers`]: [] });
  expect((await play('process list')).stdout).toBe('web\tweb-1=2\tserve\nworker\tweb-1=3 (1 paused)\twork\n');
});

test('an acceptance without more is enough for a redeploy, and nothing is checked', async () => {
  const { play, seen } = await served({
    [`GET ${at}/deployments`]: [],
    [`POST ${at}/deployments`]: { ok: true, message: 'Stack queued for redeployment' },
  });
  expect(await play('redeploy -y')).toEqual({
    code: 0,
    stdout: 'starting deployment (queued): Stack queued for redeployment\n',
    stderr: '',
  });
  expect(sent(seen).slice(-1)).toEqual([`POST ${at}/deployments`]);
});

test('an action that has ended in the reply itself is not queued: 9 where it failed', async () => {
  const action = { id: 7, action: 'env-var-new', started_via: 'api', finished_at: '2026-05-04T12:00:00Z' };
  const failed = { ...action, finished_success: false, finished_message: 'Disk full.' };
  const { play } = await served({ [`GET ${at}/environments`]: [], [`POST ${at}/environments`]: failed });
  const { code, stdout, stderr } = await play('stack env set A=1');
  expect([code, stdout.split('\n')[0]]).toEqual([9, 'creating A (action 7, failed)']);
  expect(stderr).toContain('error: action 7 failed: Disk full.\n');
});

test('an action without a word of success has failed, and is not called queued', async () => {
  const action = {
    id: 500,
    action_type: 'stack_reboot',
    started_via: 'api',
    finished_at: null,
    finished_success: null,
  };
  const { play } = await served({
    [`POST /clusters/${server}/reboot_servers`]: action,
    'GET /clusters': [{ uid: server, name: 'prod', environment: 'production', node_count: 1, health: 3 }],
    [`GET /stacks/${server}/actions/500`]: { ...action, finished_at: '2026-05-04T12:00:05Z' },
  });
  expect(await play(`cluster reboot ${server} --confirm prod --wait`)).toMatchObject({
    code: 9,
    stdout: `rebooting cluster ${server} (action 500, failed)\n`,
  });
});

test('a stack that is listed twice shows both roles, and is compared with both', async () => {
  const access_profile = {
    account_profile: {},
    stack_profiles: ['Viewer', 'Deployer'].map((role) => ({ stack_uid: stack, role })),
  };
  const user = { id: 7, email: 'ada@harbour.example', access_profile };
  const { play, seen } = await served({ 'GET /users/7': user, 'PUT /users/7': user });
  expect((await play('user get 7')).stdout).toContain(`Role in ${stack}:\tViewer, Deployer\n`);
  expect(await play(`user update 7 --role ${stack}=Viewer -y`)).toEqual({
    code: 0,
    stdout: `user ada@harbour.example: accepted; the service still shows role in ${stack} Viewer, Deployer\n`,
    stderr: '',
  });
  expect(sent(seen)).toContain('PUT /users/7');
});

test('the only account is the account', async () => {
  const { play, seen } = await served({ 'GET /accounts': [{ id: 42 }], 'GET /accounts/42/gateways': [] });
  expect((await play('gateway list')).code).toBe(0);
  expect(sent(seen)).toEqual(['GET /accounts', 'GET /accounts/42/gateways']);
});

test('a device that was just seen to be absent is not deleted', async () => {
  const { play, seen } = await served({
    'GET /users/7': { id: 7, devices: [] },
    'DELETE /users/7/devices/tok-1': true,
  });
  expect(await play('user device delete 7 --token-stdin', 'tok-1')).toEqual({
    code: 3,
    stdout: '',
    stderr: 'error: user 7 has no device with this token; nothing was sent\nhint: stackops user get 7\n',
  });
  expect(sent(seen)).toEqual(['GET /users/7']);
});

test('a type that ends with a blank is shown without it, and sent as it is', async () => {
  const machine = { uid: server, name: 'web-1', server_type: 'Cloud (Hetzner) ' };
  const { play } = await served({ [`GET ${at}/servers`]: [machine], [`GET ${at}/servers/${server}`]: machine });
  expect((await play('server get web-1')).stdout).toContain('Type:\tCloud (Hetzner)\n');
  expect(JSON.parse((await play('server get web-1 --json')).stdout)).toEqual(machine);
});

test.each<readonly [string, object, object]>([
  ['a cluster', { uid: server, name: 'us' }, { uid: server, change: 'created', after: { uid: server, name: 'us' } }],
  ['its id alone', { id: 62 }, { uid: null, change: 'created', after: { id: 62 } }],
  ['a plain ok', { ok: true, message: 'Begun.' }, { uid: null, change: 'created', after: null, message: 'Begun.' }],
  ['an action', { id: 9, started_via: 'api', finished_at: null }, { uid: null, change: 'queued', action: { id: 9 } }],
])('a new cluster is answered by %s', async (_, answer, record) => {
  const { play } = await served({ 'POST /clusters': answer });
  const { code, stdout } = await play('cluster create --field name=us --json');
  expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ name: 'us', before: null })]);
  expect(JSON.parse(stdout)).toMatchObject(record);
});
