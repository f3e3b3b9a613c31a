import { expect, test } from 'vitest';
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
