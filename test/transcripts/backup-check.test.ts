import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('the newest good backup of each database is held against an age', () =>
  transcript(`
    80$ stackops backup check -s shop
    ! error: postgresql shop_events: no good backup within 24h, last good 2d ago (2.5 MiB)
    DATABASE     TYPE        STATE  NEWEST  LAST GOOD   ID
    shop_prod    postgresql  ok     9h ago  9h ago     906
    shop_cache   redis       ok     9h ago  9h ago     905
    shop_events  postgresql  stale  2d ago  2d ago     903
    = 9
    80$ stackops backup check -s shop --max-age 7d
    DATABASE     TYPE        STATE  NEWEST  LAST GOOD   ID
    shop_prod    postgresql  ok     9h ago  9h ago     906
    shop_cache   redis       ok     9h ago  9h ago     905
    shop_events  postgresql  ok     2d ago  2d ago     903
    $ stackops backup check -s shop --max-age 1h
    ! error: postgresql shop_prod: no good backup within 1h, last good 9h ago (400.0 KiB); redis shop_cache: no good backup within 1h, last good 9h ago (40.0 KiB); postgresql shop_events: no good backup within 1h, last good 2d ago (2.5 MiB)
    shop_prod⇥postgresql⇥stale⇥2026-05-04T03:00:00Z⇥2026-05-04T03:00:00Z⇥906
    shop_cache⇥redis⇥stale⇥2026-05-04T02:50:00Z⇥2026-05-04T02:50:00Z⇥905
    shop_events⇥postgresql⇥stale⇥2026-05-02T03:20:00Z⇥2026-05-02T03:20:00Z⇥903
    = 9
    $ stackops backup check -s shop --db-type postgresql --json
    ! {"error":{"code":"operation_failed","message":"postgresql shop_events: no good backup within 24h, last good 2d ago (2.5 MiB)","status":null,"hint":null,"exit_code":9,"operation":null,"request_id":null}}
    [{"db_type":"postgresql","database_name":"shop_prod","state":"ok","backup_date_iso":"2026-05-04T03:00:00Z","age":32400,"backup_size":409600,"id":906,"newest_result":"succeeded","newest_date_iso":"2026-05-04T03:00:00Z","newest_age":32400,"newest_id":906},{"db_type":"postgresql","database_name":"shop_events","state":"stale","backup_date_iso":"2026-05-02T03:20:00Z","age":204000,"backup_size":2621440,"id":903,"newest_result":"succeeded","newest_date_iso":"2026-05-02T03:20:00Z","newest_age":204000,"newest_id":903}]
    = 9
    $ stackops backup check -s blog/production
    blog⇥postgresql⇥ok⇥2026-05-04T03:30:00Z⇥2026-05-04T03:30:00Z⇥900
    $ stackops backup check -s blog/staging
    ! error: no database has a backup
    = 9
    $ stackops backup check -s blog/staging --output csv
    ! error: no database has a backup
    database_name,db_type,state,newest_date_iso,backup_date_iso,id\r
    = 9
    $ stackops backup check -s shop --db-type mysql
    ! error: no mysql database has a backup
    = 9
    $ stackops backup check -s shop,blog/production --db-type mysql
    ! error: shop failed: no mysql database has a backup. blog/production failed: no mysql database has a backup.
    = 9
  `));

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
  const service = await startService((_seen, response) => reply(response, { response: listed }));
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stderr } = await run(['backup', 'check', '-s', uid], { env });
  expect([code, stderr]).toEqual([9, `error: ${message}\n`]);
});

test('a time that cannot be read is named, and is no verdict', async () => {
  const unread = [{ ...backup(1, 1, 0), backup_date_iso: 'soon' }];
  const service = await startService((_seen, response) => reply(response, { response: unread }));
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  expect(await run(['backup', 'check', '-s', uid], { env })).toMatchObject({
    code: 7,
    stderr: 'error: the service sent backup_date_iso "soon" for backup 1, not a time\n',
  });
});

test('the newest good backup is found for a download', () =>
  transcript(`
    $ stackops backup download --latest --db-type mysql -s shop
    ! error: no good backup of mysql
    ! hint: stackops backup list -s shop
    = 3
    $ stackops backup download -s shop -n
    ! error: missing argument <backup>: give an ID or --latest
    ! hint: stackops backup download -s shop -n --latest
    = 2
    $ stackops backup download 905 --latest -s shop
    ! error: use an ID or --latest, not both
    = 2
    $ stackops backup download 905 --db-type redis -s shop
    ! error: --db-type needs --latest
    = 2
    $ stackops backup download --latest --db-type redis -s shop --dry-run
    ! would write shop_cache_20260504_025000.tar
    $ stackops backup download latest --db-type redis -s shop --dry-run
    ! would write shop_cache_20260504_025000.tar
  `));
