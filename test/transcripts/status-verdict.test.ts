import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const other = uid.replace(/60$/, '61');
const hoursAgo = (hours: number) => new Date(Date.parse('2026-05-04T12:00:00Z') - hours * 3_600_000).toISOString();

/** What the service says of one stack; a number is the status of a refusal. */
interface Said {
  readonly stack?: object | number;
  readonly deployments?: readonly object[] | number;
  readonly servers?: readonly object[] | number;
  readonly backups?: readonly object[] | number;
}

const deployment = (id: number, meaning: string) => ({
  id,
  outcome: { code: 0, meaning },
  started_at: hoursAgo(3),
  finished_at: hoursAgo(2),
  is_live: meaning === 'success',
});
const backup = (hours: number, backup_status = 0, more: object = {}) => ({
  id: 90 - hours,
  db_type: 'mysql',
  database_name: 'orders',
  backup_status,
  backup_date_iso: hoursAgo(hours),
  ...more,
});
const good = {
  stack: { status: 1, health: 3, is_busy: false, maintenance_mode: false },
  deployments: [deployment(2, 'success')],
  servers: [{ uid: 's1', name: 'web-1', health_state: 3 }],
  backups: [backup(5)],
} satisfies Said;

/** Two stacks: `shop`, of which this is said, and `blog`, which is well. */
async function serviceWith(said: Said) {
  const row = (name: string, stack: object | number) => ({
    uid: name === 'shop' ? uid : other,
    name,
    environment: 'test',
    ...good.stack,
    ...(typeof stack === 'object' && stack),
  });
  const rows = [row('shop', said.stack ?? {}), row('blog', {})];
  const service = await startService(({ path }, response) => {
    const part = path.slice(path.lastIndexOf('/') + 1);
    const of = path.includes(uid) ? { ...good, ...said } : good;
    if (part === 'stacks') return reply(response, { response: rows });
    if (part === uid && typeof said.stack === 'number') return reply(response, { error: 'refused' }, said.stack);
    if (part === uid || part === other) return reply(response, { response: rows.find((one) => one.uid === part) });
    const found = part in of ? of[part as keyof Said] : [];
    if (typeof found === 'number') return reply(response, { error: 'refused' }, found);
    reply(response, { response: found });
  });
  const env = { ...service.env, NO_COLOR: '1' };
  return async (words: string) => {
    const { code, stderr, stdout } = await run(['status', ...words.split(' ')], { env });
    return { code, error: stderr.trimEnd(), stdout };
  };
}

test.each<readonly [string, Said, number, string]>([
  ['is well', {}, 0, ''],
  ['says that its deployment failed', { stack: { status: 2 } }, 9, 'status: deployment failed'],
  [
    'says so, and shows which one',
    { stack: { status: 2 }, deployments: [deployment(3, 'failed'), deployment(2, 'success')] },
    9,
    'deployment 3 failed',
  ],
  ['cannot be analysed', { stack: { status: 7 } }, 9, 'status: unable to analyse'],
  ['has failed', { stack: { health: 4 } }, 9, 'health: failed'],
  ['is impaired', { stack: { health: 2 } }, 9, 'health: impaired'],
  [
    'is impaired by a server',
    { stack: { health: 2 }, servers: [{ uid: 's1', name: 'web-1', health_state: 2 }] },
    9,
    'server web-1 is impaired',
  ],
  ['is in maintenance', { stack: { maintenance_mode: true } }, 9, 'maintenance mode is on'],
  ['has an old backup', { backups: [backup(25)] }, 9, 'mysql orders: no good backup within 24h'],
  ['has a failed backup', { backups: [backup(1, 1), backup(9)] }, 9, 'mysql orders: the newest backup failed'],
  [
    'has a backup that was not verified well',
    { backups: [backup(1, 0, { verify_status: 3 }), backup(9)] },
    9,
    'mysql orders: the newest backup failed its verification',
  ],
  ['has deployments that cannot be read', { deployments: 501 }, 7, 'deployment could not be read'],
  ['has servers that cannot be read', { servers: 403 }, 7, 'servers could not be read'],
  ['has backups that cannot be read', { backups: 501 }, 7, 'backups could not be read'],
  ['has no section of that name', { servers: 404 }, 7, 'servers could not be read: servers not found (404)'],
  ['has a problem and a section that cannot be read', { stack: { health: 4 }, backups: 501 }, 9, 'health: failed'],
])('a stack that %s gets the same verdict alone, beside another one and among all', async (_, said, code, why) => {
  const status = await serviceWith(said);
  for (const words of [
    `-s ${uid}`,
    `-s ${uid},${other}`,
    '--all',
    '-s s*,blog',
    `-s ${uid} --only deployment,servers,backups`,
  ]) {
    const { code: seen, error } = await status(`${words} --exit-code`);
    expect([words, seen]).toEqual([words, code]);
    expect(error.startsWith(why === '' ? '' : `error: shop/test: ${why}`), `${words}: ${error}`).toBe(true);
    expect(why !== '' || error === '').toBe(true);
  }
});

test('what --only leaves out is not judged, in one stack or in several', async () => {
  const status = await serviceWith({ stack: { status: 7, health: 4 }, backups: [backup(25)] });
  for (const words of [`-s ${uid}`, '--all']) {
    const verdicts = await Promise.all(
      ['deployment', 'servers', 'backups', 'processes'].map((only) => status(`${words} --only ${only} --exit-code`)),
    );
    expect(verdicts.map(({ code, error }) => [code, error])).toEqual([
      [9, 'error: shop/test: status: unable to analyse'],
      [9, 'error: shop/test: health: failed'],
      [9, 'error: shop/test: mysql orders: no good backup within 24h'],
      [0, ''],
    ]);
  }
});

test.each([403, 404, 405, 501])(
  'a stack that does not speak for itself (%i) is named as not checked',
  async (refusal) => {
    const status = await serviceWith({ stack: refusal });
    const words = `-s ${uid} --exit-code --jq .not_checked`;
    expect(await status(words)).toEqual({ code: 0, error: '', stdout: '["stack"]\n' });
    expect(await status(`${words} --only servers`)).toMatchObject({ code: 0, stdout: '["stack"]\n' });
    expect(await status(`${words} --only backups`)).toMatchObject({ code: 0, stdout: '[]\n' });
    expect((await status(`-s ${uid} --only servers`)).stdout).toContain('stack\t-\tnot checked\t-\n');
    const bad = await serviceWith({ stack: refusal, backups: [backup(25)] });
    expect((await bad(words)).code).toBe(9);
  },
);

test('an age for backups is a reason to read them', async () => {
  const status = await serviceWith({ backups: [backup(25)] });
  const flags = '--all --backup-age 12h --jq .[0].problems,.[0].not_checked';
  expect(await status(flags)).toMatchObject({ code: 0, error: '' });
  expect((await status('--all --backup-age 12h --exit-code')).code).toBe(9);
  expect((await status('--all --backup-age 30h --exit-code')).code).toBe(0);
});

test('no stack at all is no good news', async () => {
  const { env } = await startService((_, response) => reply(response, { response: [] }));
  const { code, stderr } = await run(['status', '--all', '--exit-code'], { env });
  expect([code, stderr]).toEqual([3, 'No stack.\nerror: there is no stack to check\n']);
});
