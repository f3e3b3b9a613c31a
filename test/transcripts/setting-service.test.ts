import { expect, test } from 'vitest';
import { reply, type Seen, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

/** What other services do than the sandbox: lists closed to the token, two servers of one name, odd values. */
const stack = '5f3c0000000000000000000000000001';
const one = 'ab120000000000000000000000000001';
const two = 'ab120000000000000000000000000002';
const at = `/stacks/${stack}`;

async function served(answers: Readonly<Record<string, unknown>>) {
  const service = await startService((request: Seen, response) => {
    const known = answers[`${request.method} ${request.path}`];
    if (typeof known === 'number') return reply(response, { error: 'no', details: 'told so' }, known);
    return reply(response, known ?? { error: 'not_found' }, known ? 200 : 404);
  });
  const env = { NO_COLOR: '1', STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token', STACKOPS_STACK: stack };
  const play = (words: string, terminal?: number) =>
    run(words.split(' '), { env, now: () => new Date('2026-05-04T12:00:00Z'), ...(terminal && { terminal }) });
  return { play, seen: service.seen };
}

const sent = (seen: readonly Seen[]) => seen.map(({ method, path }) => `${method} ${path}`);

test('one setting is read by its dashed key when the list is closed to the token', async () => {
  const { play, seen } = await served({
    [`GET ${at}/settings`]: 403,
    [`GET ${at}/settings/git-branch`]: { response: { key: 'git.branch', value: 'main' } },
  });
  expect(await play('stack settings get git.branch')).toEqual({ code: 0, stdout: 'main\n', stderr: '' });
  expect(sent(seen)).toEqual([`GET ${at}/settings`, `GET ${at}/settings/git-branch`]);
});

test('the same for a server', async () => {
  const { play } = await served({
    [`GET ${at}/servers/${one}/settings`]: 403,
    [`GET ${at}/servers/${one}/settings/server-name`]: { response: { key: 'server.name', value: 'web-1' } },
  });
  expect(await play(`server settings get ${one} server.name`)).toEqual({ code: 0, stdout: 'web-1\n', stderr: '' });
});

test('both shapes of the list of a server read well, together if need be', async () => {
  const { play } = await served({
    [`GET ${at}/servers/${one}/settings`]: {
      response: [
        { key: 'server.name', value: 'web-1', readonly: false, warning_text: 'Restarts the agent' },
        { id: 7, key: 'disk.space.alert.threshold', value: 80, readonly: true, updated_at: '2026-05-04T11:00:00Z' },
      ],
    },
    [`PUT ${at}/servers/${one}/settings/server-name`]: { response: { id: 812 } },
  });
  expect((await play(`server settings list ${one}`, 110)).stdout).toBe(
    [
      'KEY                         VALUE  READ-ONLY  WARNING             UPDATED',
      'server.name                 web-1  no         Restarts the agent  -',
      'disk.space.alert.threshold  80     yes        -                   1h ago',
      '',
    ].join('\n'),
  );
  expect(await play(`server settings set ${one} server.name=web-2`)).toEqual({
    code: 0,
    stdout: 'updating server.name (action 812, queued): web-1 -> web-2\n',
    stderr: [
      'warning: server.name: Restarts the agent',
      `undo: stackops action wait 812 -s ${stack} && stackops server settings set ${one} server.name=web-1 -s ${stack}`,
      '',
    ].join('\n'),
  });
});

test('values that are not text are printed as JSON', async () => {
  const values = { a: true, b: 7, c: null, d: { x: [1] }, e: '' };
  const items = Object.entries(values).map(([key, value]) => ({ key, value, readonly: false }));
  const { play } = await served({ [`GET ${at}/settings`]: { response: items } });
  const printed = await Promise.all(Object.keys(values).map((key) => play(`stack settings get ${key}`)));
  expect(printed.map(({ stdout }) => stdout)).toEqual(['true\n', '7\n', 'null\n', '{"x":[1]}\n', '\n']);
});

test('a run that fails in part tells what was queued, and how to undo that', async () => {
  const { play, seen } = await served({
    [`GET ${at}/settings`]: { response: ['a.b', 'c.d', 'e.f'].map((key) => ({ key, value: '1' })) },
    [`PUT ${at}/settings/a-b`]: { response: { id: 812 } },
    [`PUT ${at}/settings/c-d`]: 400,
    [`PUT ${at}/settings/e-f`]: { response: { id: 813 } },
  });
  expect(await play('stack settings set a.b=2 c.d=2 e.f=2')).toEqual({
    code: 1,
    stdout:
      'updating a.b (action 812, queued): 1 -> 2\nupdating c.d (failed): 1 -> 2\nupdating e.f (action 813, queued): 1 -> 2\n',
    stderr: [
      `undo: stackops action wait 812 -s ${stack} && stackops action wait 813 -s ${stack} && stackops stack settings set a.b=1 e.f=1 -s ${stack}`,
      'error: c.d failed: the service refused the request (400): told so. a.b, e.f were queued.',
      '',
    ].join('\n'),
  });
  expect(sent(seen).filter((line) => line.startsWith('PUT'))).toHaveLength(3);
});

test('two servers of one name are distinguished by their UIDs', async () => {
  const { play, seen } = await served({
    [`GET ${at}/servers`]: {
      response: [
        { uid: one, name: 'web' },
        { uid: two, name: 'web' },
      ],
    },
    [`GET ${at}/processes`]: { response: [{ name: 'worker', servers: { web: 2 } }] },
  });
  expect(await play('server reboot web -y')).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: 2 servers are called "web": ${one}, ${two}\nhint: stackops server list -s ${stack}\n`,
  });
  expect((await play('process scale worker=3')).stderr).toContain(
    `error: 2 servers are called "web": ${one}, ${two}\n`,
  );
  expect(sent(seen).filter((line) => line.startsWith('POST'))).toEqual([]);
});

test('a reboot that answers with its action is queued as that', async () => {
  const { play } = await served({
    [`POST ${at}/servers/${one}/reboot`]: { response: { id: 9, action: 'server_reboot', started_via: 'api' } },
  });
  expect(await play(`server reboot ${one} -y`)).toMatchObject({
    code: 0,
    stdout: `rebooting server ${one} (action 9, queued)\n`,
  });
});

test('a process that runs nowhere is scaled on the server that is named', async () => {
  const { play, seen } = await served({
    [`GET ${at}/servers`]: { response: [{ uid: one, name: 'web' }] },
    [`GET ${at}/processes`]: { response: [{ name: 'worker', servers: {} }] },
    [`POST ${at}/processes/worker/scale`]: { response: [{ id: 9 }] },
  });
  expect(await play('process scale worker=1')).toMatchObject({
    code: 2,
    stderr: `error: process "worker" is listed on no server; choose one with --server\nhint: stackops server list -s ${stack}\n`,
  });
  expect(await play('process scale worker=1 --server web')).toMatchObject({
    code: 0,
    stdout: 'updating process worker (action 9, queued): 0 -> 1 on web\n',
    stderr: `undo: stackops action wait 9 -s ${stack} && stackops process scale worker=0 --server web -s ${stack}\n`,
  });
  expect(seen.at(-1)?.body).toEqual({ process_name: 'worker', server_count: { [one]: 1 } });
});

test('a finished scaling that the service does not show is only accepted, and 8 when waited for', async () => {
  const action = { id: 9, started_via: 'api', finished_at: '2026-05-04T12:00:01Z', finished_success: true };
  const { play } = await served({
    [`GET ${at}/servers`]: { response: [{ uid: one, name: 'web' }] },
    [`GET ${at}/processes`]: { response: [{ name: 'worker', servers: { web: 1 } }] },
    [`POST ${at}/processes/worker/scale`]: { response: [{ id: 9 }] },
    [`GET ${at}/actions/9`]: { response: action },
  });
  expect(await play('process scale worker=3 --wait --json --fields name,change,before,after')).toMatchObject({
    code: 8,
    stdout: '[{"name":"worker","change":"accepted","before":{"web":1},"after":{"web":1}}]\n',
    stderr: expect.stringContaining(
      'process worker has not finished after 30m (accepted, not shown yet); it continues',
    ),
  });
});
