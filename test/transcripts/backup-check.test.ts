import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('the newest good backup of each database is held against an age', transcriptFile);

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const backup = (id: number, hours: number, status: unknown) => ({
  id,
  db_type: 'mysql',
  database_name: 'orders',
  backup_status: status,
  backup_date_iso: new Date(Date.parse('2026-05-04T12:00:00Z') - hours * 3_600_000).toISOString(),
});

test.each([
  ['a newer one that failed', [backup(1, 5, 0), backup(2, 1, 1)], 'mysql orders: failed 1h ago, last good 5h ago'],
  ['a status that is not known', [backup(1, 1, 7)], 'mysql orders: ended with status 7 1h ago, no good backup'],
  [
    'a good one that is old',
    [backup(2, 74, null), backup(1, 73, 0)],
    'mysql orders: no good backup within 24h, last good 3d ago',
  ],
  [
    'a verification that failed',
    [
      { ...backup(2, 0.75, 0), verify_status: 3 },
      { ...backup(1, 9, 0), verify_status: 2, backup_size: 409_600 },
    ],
    'mysql orders: failed its verification 45m ago, last good 9h ago (400.0 KiB)',
  ],
])('%s is not good enough', async (_, listed, message) => {
  const { env } = await startService((_seen, response) => reply(response, { response: listed }));
  const { code, stderr } = await run(['backup', 'check', '-s', uid], { env });
  expect([code, stderr]).toEqual([9, `error: ${message}\n`]);
});

test('a time that cannot be read is named, and is no verdict', async () => {
  const unread = [{ ...backup(1, 1, 0), backup_date_iso: 'soon' }];
  const { env } = await startService((_seen, response) => reply(response, { response: unread }));
  expect(await run(['backup', 'check', '-s', uid], { env })).toMatchObject({
    code: 7,
    stderr: 'error: the service sent backup_date_iso "soon" for backup 1, not a time\n',
  });
});

test('the newest good backup is found for a download', transcriptFile);

const onServer = (id: number, hours: number, server_uid: string) => ({ ...backup(id, hours, 0), server_uid });

test('a database of one name on two servers is two databases', async () => {
  const listed = [onServer(1, 1, 'uid-one'), onServer(2, 80, 'uid-two')];
  const named = [{ uid: 'uid-two', name: 'db-two' }];
  const { env, seen } = await listing(listed, named);
  const { code, stdout, stderr } = await run(['backup', 'check', '-s', uid], { env });
  expect([code, stderr]).toEqual([9, 'error: mysql orders on db-two: no good backup within 24h, last good 3d ago\n']);
  expect(stdout.split('\n')).toHaveLength(3);
  expect(seen.map(({ path }) => path.split(uid)[1])).toEqual(['/backups', '/servers']);
  expect(await run(['backup', 'download', '--latest', '-s', uid], { env })).toMatchObject({
    code: 3,
    stderr: `error: which database? mysql orders (backup 1), mysql orders (backup 2)\nhint: stackops backup list -s ${uid}\n`,
  });
});

test('a service that ignores a filter is filtered here', async () => {
  const redis = { ...backup(7, 1, 0), db_type: 'redis', group: 5 };
  const { env } = await listing([redis, { ...redis, id: 8 }, { ...backup(1, 2, 0), group: 6 }], []);
  const play = async (words: string) => (await run([...words.split(' '), '-s', uid, '-q'], { env })).stdout;
  expect(await play('backup list --db-type mysql')).toBe('1\n');
  expect(await play('backup list --db-type redis --limit 1')).toBe('7\n');
  expect(await play('backup list --db-type mysql --limit 1')).toBe('1\n');
  expect(await play('backup list --group 5')).toBe('7\n8\n');
  expect(await play('backup list --db-type mysql --json --fields id')).toBe('[{"id":1}]\n');
  expect((await run(['backup', 'check', '--db-type', 'postgresql', '-s', uid], { env })).code).toBe(9);
});

async function listing(rows: readonly object[], servers: readonly object[]) {
  const service = await startService(({ path }, response) =>
    reply(response, { response: path.endsWith('/servers') ? servers : rows }),
  );
  onTestFinished(() => service.close());
  return { env: { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' }, seen: service.seen };
}
