import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
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

test('--exit-code is 9 for a deployment that failed', transcriptFile);
test('--exit-code is 9 for one that failed before the one in progress', transcriptFile);
test('--exit-code is 9 for a failed server', transcriptFile);
test('--exit-code is 9 for a backup that failed', transcriptFile);
test('--exit-code is 9 for a backup of unknown status', transcriptFile);
test('--exit-code is 9 for an old backup', transcriptFile);
test('--exit-code is 0 when all is well, also after a cancelled deployment', transcriptFile);
test('--exit-code is 7 when a section that is judged breaks, and the others stand', transcriptFile);

test('when the time is up, all reads end', async () => {
  const late = new AbortController();
  const service = await startService(() => {
    if (service.seen.length === 7) late.abort();
  });
  const { env } = service;
  const { code, stderr } = await run(['status', '-s', uid], { env, deadline: late.signal });
  expect([code, stderr, service.seen.length]).toEqual([7, 'error: no response within 10 s\n', 7]);
});

test('names of the service steer no terminal, and one screen is never wider than the terminal', transcriptFile);
test('a name that is null is shown all the same', transcriptFile);
test('a name that is a number is shown all the same', transcriptFile);
test('a name that is an object is shown all the same', transcriptFile);
test('a name that is a list is shown all the same', transcriptFile);
test('of many servers the worst are shown', transcriptFile);
test('named stacks take two requests each, and one for the list', transcriptFile);
test('a stack that is not found is an error before any is read', transcriptFile);
test('stacks named by UID need no list', transcriptFile);

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

const running = { id: 9, action: 'scale_up', started_at: hoursAgo(1), finished_at: null };

test.each([
  ['says nothing', {}],
  ['says null', { is_busy: null }],
])('a stack that %s of being busy: its actions are read', async (_, said) => {
  const listed = { uid, name: 'shop', environment: 'production', status: 1, ...said };
  const stack = (response: ServerResponse) => reply(response, { response: listed });
  const { service, status } = await serviceWith({ [uid]: stack, stacks: [listed], actions: [running] });
  const one = JSON.parse((await status(['--json'])).stdout);
  expect([one.busy, one.not_checked]).toEqual([['action 9 scale_up is running'], []]);
  expect((await status([])).stdout).toContain('stack\tbusy\taction 9 scale_up is running\t-\n');
  const { env } = service;
  const several = await run(['status', '--all', '--json', '--fields', 'busy,not_checked'], { env });
  expect(several.stdout).toBe('[{"busy":[],"not_checked":["actions","backups"]}]\n');
});

test('several stacks show what keeps them busy', async () => {
  const listed = { uid, name: 'shop', environment: 'production', status: 6, is_busy: true };
  const { service } = await serviceWith({ stacks: [listed] });
  const { env } = service;
  expect((await run(['status', '--all'], { env })).stdout).toContain(
    '\tbusy: the stack is deploying, not checked: actions, backups\n',
  );
  expect((await run(['status', '--all'], { env, terminal: 120 })).stdout).toMatch(/ busy: the stack is deploying\n/);
});
