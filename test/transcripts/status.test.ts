import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { cellWidth } from '../../src/output/table/cell-width.ts';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('one stack on one screen, and as lines in a pipe', transcriptFile);
test('what is in progress, and what was changed since the live deployment began', transcriptFile);
test('all stacks', transcriptFile);
test('named stacks', transcriptFile);
test('the exit code judges the last deployment, the servers and the backups', transcriptFile);

test('a section that cannot be read says why, and fails where it is needed', (context) =>
  transcriptFile(context, { env: { STACKOPS_TOKEN: 'sandbox_public' } }));

test('mistakes', transcriptFile);

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const now = '2026-05-04T12:00:00Z';
const hoursAgo = (hours: number) => new Date(Date.parse(now) - hours * 3_600_000).toISOString();

/** Replies by the last part of the path; a function takes over the response. */
type Replies = Readonly<Record<string, readonly object[] | ((response: ServerResponse) => void)>>;

const deployment = (id: number, meaning: string, isLive = false) => ({
  id,
  outcome: { code: 0, meaning },
  started_at: hoursAgo(50 - id),
  finished_at: meaning === 'pending' ? null : hoursAgo(49 - id),
  git_hash: 'd8b847daf0a06d549f0919d2c59a146e283b8b78',
  is_live: isLive,
});
const backup = (id: number, hours: number, status: number) => ({
  id,
  db_type: 'mysql',
  database_name: 'orders',
  backup_status: status,
  backup_date_iso: hoursAgo(hours),
});
const healthy: Replies = {
  deployments: [deployment(2, 'success', true), deployment(1, 'success')],
  application_variants: [],
  servers: [{ uid: 's1', name: 'web-1', health_state: 3, server_roles: ['web'] }],
  processes: [{ name: 'web', servers: { 'web-1': 2 } }],
  backups: [backup(1, 5, 0)],
  environments: [],
};

async function serviceWith(replies: Replies) {
  const service = await startService(({ path }, response) => {
    const found = { ...healthy, ...replies }[path.slice(path.lastIndexOf('/') + 1)];
    if (typeof found === 'function') found(response);
    else if (found) reply(response, { response: found });
    else reply(response, { response: { uid, name: 'shop', environment: 'production', status: 1, is_busy: false } });
  });
  const { env } = service;
  const status = (flags: readonly string[], options: RunOptions = {}) =>
    run(['status', '-s', uid, ...flags], { env: { ...env, NO_COLOR: '1' }, ...options });
  return { service, status };
}

test.each<readonly [string, Replies, string]>([
  [
    'a deployment that failed',
    { deployments: [deployment(3, 'failed'), deployment(2, 'success', true)] },
    'deployment 3 failed',
  ],
  [
    'one that failed before the one in progress',
    { deployments: [deployment(4, 'pending'), deployment(3, 'failed'), deployment(2, 'success', true)] },
    'deployment 3 failed',
  ],
  ['a failed server', { servers: [{ uid: 's1', name: 'web-1', health_state: 4 }] }, 'server web-1 is failed'],
  ['a backup that failed', { backups: [backup(1, 5, 0), backup(2, 1, 1)] }, 'mysql orders: the newest backup failed'],
  ['a backup of unknown status', { backups: [backup(1, 5, 7)] }, 'mysql orders: no good backup'],
  ['an old backup', { backups: [backup(1, 25, 0)] }, 'mysql orders: no good backup within 24h'],
])('--exit-code is 9 for %s', async (_, replies, error) => {
  const { status } = await serviceWith(replies);
  expect(await status(['--exit-code'])).toMatchObject({ code: 9, stderr: `error: shop/production: ${error}\n` });
  expect((await status([])).code).toBe(0);
});

test('--exit-code is 0 when all is well, also after a cancelled deployment', async () => {
  const { status } = await serviceWith({ deployments: [deployment(3, 'cancelled'), deployment(2, 'success', true)] });
  expect(await status(['--exit-code'])).toMatchObject({ code: 0, stderr: '' });
});

test('--exit-code is 7 when a section that is judged breaks, and the others stand', async () => {
  const { status } = await serviceWith({ servers: (response) => reply(response, { error: 'out of order' }, 501) });
  const { code, stdout, stderr } = await status(['--exit-code']);
  expect([code, stderr]).toEqual([
    7,
    expect.stringMatching(/^error: shop\/production: servers could not be read: .*\n$/),
  ]);
  expect(stdout).toContain('\nprocesses\tweb\t2\t-\n');
  expect(stdout).toMatch(/\nservers\t-\tunreadable: .*out of order/);
});

test('when the time is up, all reads end', async () => {
  const late = new AbortController();
  const service = await startService(() => {
    if (service.seen.length === 7) late.abort();
  });
  const { env } = service;
  const { code, stderr } = await run(['status', '-s', uid], { env, deadline: late.signal });
  expect([code, stderr, service.seen.length]).toEqual([7, 'error: no response within 10 s\n', 7]);
});

test('names of the service steer no terminal, and one screen is never wider than the terminal', async () => {
  const name = `网页服务器\u001b[31m${'長'.repeat(60)}`;
  const { status } = await serviceWith({ servers: [{ uid: 's1', name, health_state: 3, server_roles: ['web'] }] });
  for (const terminal of [60, 80, 120, 200]) {
    const { stdout } = await status([], { terminal });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('网页服务器\\x1b[31m');
    expect(stdout.split('\n').filter((line) => cellWidth(line) > terminal)).toEqual([]);
  }
});

test.each([
  [null, '-'],
  [7, '7'],
  [{ a: [1] }, '{"a":[1]}'],
  [[null], '[null]'],
])('a name that is %j is shown all the same', async (name, shown) => {
  const { status } = await serviceWith({
    servers: [{ uid: 's1', name, health_state: 3, server_roles: 'web' }],
    processes: [{ name, servers: { 'web-1': 2 } }],
    backups: [{ ...backup(1, 5, 0), db_type: name, database_name: name }],
  });
  const { code, stdout } = await status(['--only', 'servers,processes,backups'], { terminal: 80 });
  expect({ code, lines: stdout.split('\n').slice(1, -1) }).toEqual({
    code: 0,
    lines: [
      `Servers    ${shown}  healthy  web`,
      `Processes  ${shown}  2  even  2 on web-1`,
      `Backups    ${shown}  ${shown}  ok  5h ago  -`,
    ],
  });
});

test('of many servers the worst are shown', async () => {
  const many = Array.from({ length: 12 }, (_, at) => ({
    uid: `s${at}`,
    name: `web-${at}`,
    health_state: at === 9 ? 4 : 3,
  }));
  const { status } = await serviceWith({ servers: many });
  const { stdout } = await status(['--only', 'servers'], { terminal: 80 });
  expect(stdout).toMatch(/Servers +web-9 +failed +-\n +web-0 +healthy/);
  expect(stdout).toContain('and 7 more\n');
});

test('named stacks take two requests each, and one for the list', async () => {
  const rows = [10, 11, 12].map((end) => ({
    uid: uid.replace(/..$/, String(end)),
    name: `s${end}`,
    environment: 'test',
  }));
  const { service } = await serviceWith({ stacks: rows });
  const { env } = service;
  for (const named of ['s10,s12', `${rows[0]?.uid},s11`, `${rows[0]?.uid},${rows[1]?.uid}`]) {
    const before = service.seen.length;
    const { code, stdout } = await run(['status', '-s', named], { env });
    expect([named, code, stdout.trimEnd().split('\n').length, service.seen.length - before]).toEqual([named, 0, 2, 5]);
  }
});

test('a stack that is not found is an error before any is read', async () => {
  const { service } = await serviceWith({ stacks: [{ uid, name: 'shop', environment: 'test' }] });
  const { env } = service;
  expect((await run(['status', '-s', 'shop,blog'], { env })).code).toBe(3);
  expect((await run(['status', '-s', `shop,${'0'.repeat(32)}`], { env })).code).toBe(3);
  expect(service.seen.map(({ path }) => path)).toEqual(['/stacks', '/stacks']);
});

test('stacks named by UID need no list', async () => {
  const { service } = await serviceWith({ stacks: (response) => reply(response, { error: 'not found' }, 404) });
  const { env } = service;
  const { code, stdout } = await run(['status', '-s', `${uid},${'1'.repeat(32)}`, '-q'], { env });
  expect([code, stdout]).toEqual([0, `${uid}\n${'1'.repeat(32)}\n`]);
});

test('all stacks take two requests each', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => ({
    uid: uid.replace(/..$/, String(at + 10)),
    name: `s${at}`,
    environment: 'test',
  }));
  const { service } = await serviceWith({ stacks: rows });
  const { env } = service;
  const { code, stdout } = await run(['status'], { env });
  expect([code, stdout.trimEnd().split('\n').length, service.seen.length]).toEqual([0, 12, 1 + 2 * 12]);
});

test('where no stacks are listed, one must be named', async () => {
  const { service } = await serviceWith({ stacks: (response) => reply(response, { error: 'not found' }, 404) });
  const { env } = service;
  expect(await run(['status'], { env })).toEqual({
    code: 3,
    stdout: '',
    stderr: 'error: this service or token does not list stacks\nhint: give the UID of a stack with -s\n',
  });
});
