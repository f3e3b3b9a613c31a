import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('backups are listed, newest first', () =>
  transcript(`
    100$ stackops backup list -s shop
     ID  TYPE        DATABASE     BACKED UP       SIZE  STATUS  VERIFICATION
    906  postgresql  shop_prod    9h ago     400.0 KiB  ok      verified
    905  redis       shop_cache   9h ago      40.0 KiB  ok      not verified
    904  postgresql  shop_prod    33h ago          0 B  failed  not verified
    903  postgresql  shop_events  2d ago       2.5 MiB  ok      not verified
    902  redis       shop_cache   2d ago      40.0 KiB  ok      not verified
    901  postgresql  shop_prod    2d ago     384.0 KiB  ok      verified
    $ stackops backup list -s shop --columns id,database_name,backup_date_iso,backup_size,backup_status
    906⇥shop_prod⇥2026-05-04T03:00:00Z⇥409600⇥ok
    905⇥shop_cache⇥2026-05-04T02:50:00Z⇥40960⇥ok
    904⇥shop_prod⇥2026-05-03T03:00:00Z⇥0⇥failed
    903⇥shop_events⇥2026-05-02T03:20:00Z⇥2621440⇥ok
    902⇥shop_cache⇥2026-05-02T03:10:00Z⇥40960⇥ok
    901⇥shop_prod⇥2026-05-02T03:00:00Z⇥393216⇥ok
    $ stackops backup list -s shop --db-type redis -q
    905
    902
    $ stackops backup list -s shop --db-type oracle
    ! error: --db-type must be one of mysql, postgresql, redis, mongodb, not "oracle"
    = 2
    $ stackops backup list -s shop --group 99
    ! No backups.
    80$ stackops backup get 904 -s shop
    ID:                   904
    Database type:        postgresql
    Database:             shop_prod
    Backed up:            33h ago (2026-05-03T03:00:00Z)
    Size:                 0 B
    Status:               failed
    Result:               pg_dump: no space left on device
    Restore:              not restored
    Restore result:       -
    Verification:         not verified
    Verification result:  -
    Server UID:           e3c9f50b7d416a82c3d4e5f60718293a
    File base:            shop_prod_20260503_030000
    Storage path:         backups/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/904
    Skipped tables:       -
    Created:              33h ago (2026-05-03T03:00:00Z)
    Updated:              33h ago (2026-05-03T03:00:00Z)
    $ stackops backup get 999 -s shop
    ! error: backup 999 not found in shop/production
    ! hint: stackops backup list -s shop
    = 3
    $ stackops backup get latest -s shop
    ID:⇥906
    Database type:⇥postgresql
    Database:⇥shop_prod
    Backed up:⇥2026-05-04T03:00:00Z
    Size:⇥409600
    Status:⇥ok
    Result:⇥
    Restore:⇥restored
    Restore result:⇥Restored to shop-db-1.
    Verification:⇥verified
    Verification result:⇥Verified.
    Server UID:⇥e3c9f50b7d416a82c3d4e5f60718293a
    File base:⇥shop_prod_20260504_030000
    Storage path:⇥backups/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/906
    Skipped tables:⇥
    Created:⇥2026-05-04T03:00:00Z
    Updated:⇥2026-05-04T03:00:00Z
  `));

test('the files of a backup, and their addresses', () =>
  transcript(`
    80$ stackops backup files 903 -s shop
    ID      NAME
    tar-aa  shop_events_20260502_032000.tar-aa
    tar-ab  shop_events_20260502_032000.tar-ab
    tar-ac  shop_events_20260502_032000.tar-ac
    $ stackops backup files 904 -s shop
    ! No backup files.
    $ stackops backup url 901 tar -s shop
    http://sandbox.localhost/storage/backups/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/901/shop_prod_20260502_030000.tar?Expires=1777896900&Signature=245ea3549ca94c1b4391517b833b2adef8da9c88
    $ stackops backup url 901 tar-aa -s shop
    ! error: file tar-aa of backup 901 not found in shop/production
    ! hint: stackops backup files 901 -s shop
    = 3
    $ stackops backup url 901 ../901 -s shop
    ! error: <file> must be an identifier without / \\ ? # % ; or control characters, not "../901"
    = 2
    80$ stackops backup url 901 tar -s shop --json --fields ok
    {
      "ok": true
    }
  `));

test('backups are created and imported', () =>
  transcript(`
    $ stackops backup create -s shop --db-type postgresql --gzip
    creating backup of postgresql (queued)
    +30s
    $ stackops backup list -s shop --columns id,db_type,backup_date_iso,backup_status --limit 1
    907⇥postgresql⇥2026-05-04T12:00:03Z⇥ok
    $ stackops backup create -s shop --frequency nightly
    ! error: --frequency must be five cron fields (minute, hour, day, month, weekday), not "nightly"
    = 2
    $ stackops backup create -s shop --frequency @daily --keep-count 0
    ! error: --keep-count must be between 1 and 10000, not "0"
    = 2
    $ stackops backup create -s shop --db-type oracle
    ! error: --db-type must be one of all, mysql, postgresql, redis, mongodb, not "oracle"
    = 2
    $ stackops backup create -s shop --remote-url https://files.example.com/shop.tar
    ! error: unknown option "--remote-url"
    ! hint: stackops backup create --help
    = 2
    $ stackops backup import -s shop --db-type postgresql --url https://files.example.com/shop.tar
    ! error: missing flag --group <n>: Backup group to restore it in.
    ! hint: stackops backup import --help
    = 2
    $ stackops backup import -s shop --group 12 --db-type all --url https://files.example.com/shop.tar
    ! error: --db-type must be one of mysql, postgresql, redis, mongodb, not "all"
    = 2
    $ stackops backup import -s shop --group 12 --db-type postgresql --url shop.tar
    ! error: --url must be a URL such as https://files.example.com/shop.tar
    = 2
    $ stackops backup import -s shop --group 12 --db-type postgresql --url https://files.example.com/shop.tar -y
    importing backup of postgresql into group 12 (queued)
    $ stackops backup import -s shop --group 12 --db-type postgresql,redis --url https://files.example.com/shop.tar -n
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/backups
    Content-Type: application/json

    {"group":12,"db_type":"postgresql,redis","remote_url":"https://files.example.com/shop.tar"}
    $ stackops backup import -s shop --group 12 --db-type redis --url 'https://ada:pw12@files.example.com/shop.tar?X-Sig=s3cret' -n
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/backups
    Content-Type: application/json

    {"group":12,"db_type":"redis","remote_url":"https://***@files.example.com/shop.tar?***"}
    $ stackops backup import -s shop --group 12 --db-type redis --url 'https://files.example.com/shop.tar?X-Sig=s3cret' --curl
    ! replace *** before you run it
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"group":12,"db_type":"redis","remote_url":"https://files.example.com/shop.tar?***"}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/backups'
    $ STACKOPS_TOKEN=sandbox_public stackops backup create -s shop
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
  `));

test('an import asks first', () =>
  transcript(`
    80$ stackops backup import -s shop --group 12 --db-type postgresql --url 'https://ada:pw12@files.example.com/shop.tar?X-Sig=s3cret'
    < n
    ! Import a backup into shop/production (postgresql, backup group 12, from files.example.com, newest backup in it 2026-05-04T03:00:00Z)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops backup import -s shop --group 12 --db-type postgresql --url https://files.example.com/shop.tar
    ! error: "backup import" needs -y (no terminal); nothing was changed
    ! hint: stackops backup import --group 12 --db-type postgresql --url https://files.example.com/shop.tar -s shop -y
    = 2
  `));

test('with --wait the backups that appeared are shown', () =>
  transcript(`
    $ stackops backup create -s shop --db-type postgresql,redis --wait
    ! 12:00:00 the backup: queued
    ! 12:00:05 the backup: backup 908 of redis shop_cache: ok, backup 907 of postgresql shop_prod: ok
    backup 908 of redis shop_cache: ok
    backup 907 of postgresql shop_prod: ok
    $ stackops backup create -s shop --db-type postgresql --wait --json --fields change,after.id,after.backup_status
    {"change":"created","after":[{"id":909,"backup_status":0}]}
    $ stackops backup create -s shop --frequency @daily --wait
    ! 12:00:10 the backup: the service does not show which backup it made
    ! error: cannot tell whether the backup finished: the service does not show which backup it made
    ! hint: stackops backup list -s shop
    creating backup (queued)
    = 8
    $ stackops backup import -s shop --group 99 --db-type redis --url https://files.example.com/r.tar -y
    ! error: backup group 99 not found in shop/production
    = 3
    $ stackops backup import -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 --group 99 --db-type redis --url https://files.example.com/r.tar -y
    ! error: backup group 99 not found in stack 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 3
    $ stackops backup import -s shop --group 12 --db-type redis --url 'https://files.example.com/r.tar?X-Sig=s3cret' --wait -y
    ! 12:00:10 the backup: queued
    ! 12:00:15 the backup: backup 912 of redis shop_cache: ok, backup 911 of redis shop_cache: ok
    backup 912 of redis shop_cache: ok
    backup 911 of redis shop_cache: ok
    $ stackops backup create -s shop --db-type redis --wait --wait-timeout 1s --json
    ! {"error":{"code":"pending","message":"the backup has not finished after 1s (queued); it continues","status":null,"hint":"stackops backup list -s shop","exit_code":8,"operation":null,"request_id":null}}
    {"stack_id":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","change":"queued","before":null,"after":null,"action":null,"message":"Backup of redis queued for creation","error":{"code":"pending","message":"the backup has not finished after 1s (queued); it continues"}}
    = 8
  `));

test('the newest backup of each stack is downloaded', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download --latest -s shop,blog/production --output-dir ${folder}
    shop: wrote ${folder}/shop_prod_20260504_030000.tar (400.0 KiB)
    blog/production: wrote ${folder}/blog_20260504_033000.tar (132.0 KiB)
  `);
});

test('a backup is downloaded', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download 901 -s shop --output-dir ${folder}
    wrote ${folder}/shop_prod_20260502_030000.tar (384.0 KiB)
    $ stackops backup download 901 -s shop --output-dir ${folder}
    ! error: cannot write ${folder}/shop_prod_20260502_030000.tar: it already exists
    ! hint: stackops backup download 901 --output-dir ${folder} -s shop --force
    = 1
    $ stackops backup download 901 -s shop --output-dir ${folder} --force --json --fields file,bytes
    [{"file":"tar","bytes":393216}]
    $ stackops backup download 903 tar-ab -s shop --output-dir ${folder}
    wrote ${folder}/shop_events_20260502_032000.tar-ab (853.3 KiB)
    $ stackops backup download 903 -s shop --output-dir ${folder}
    ! error: cannot write ${folder}/shop_events_20260502_032000.tar-ab: it already exists
    ! hint: stackops backup download 903 --output-dir ${folder} -s shop --force
    = 1
    $ stackops backup download 903 --join -s shop --output-dir ${folder}
    wrote ${folder}/shop_events_20260502_032000.tar (2.5 MiB)
    $ stackops backup download 903 tar-ax -s shop --output-dir ${folder}
    ! error: backup 903 has no file "tar-ax"
    ! hint: stackops backup download 903 tar-aa --output-dir ${folder} -s shop
    = 3
    $ stackops backup download 904 -s shop --output-dir ${folder}
    ! error: backup 904 has no files
    ! hint: stackops backup get 904 -s shop
    = 3
    $ stackops backup download 902 -s shop --output-dir ${folder}/none
    ! error: cannot write ${folder}/none: the folder does not exist
    = 2
    $ stackops backup download 902 -n -s shop --output-dir ${folder}
    ! would write ${folder}/shop_cache_20260502_031000.tar
  `);
});

test('what is complete needs no --resume', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download 903 tar-ab -s shop --output-dir ${folder}
    wrote ${folder}/shop_events_20260502_032000.tar-ab (853.3 KiB)
    $ stackops backup download 903 -s shop --output-dir ${folder} --resume
    ! error: cannot write ${folder}/shop_events_20260502_032000.tar-ab: it already exists
    ! hint: stackops backup download 903 tar-aa tar-ac --resume --output-dir ${folder} -s shop
    = 1
    $ stackops backup download 903 tar-ab -s shop --output-dir ${folder} --resume
    ! error: cannot write ${folder}/shop_events_20260502_032000.tar-ab: it already exists
    ! hint: stackops backup download 903 tar-ab --output-dir ${folder} --resume -s shop --force
    = 1
  `);
});

test('a served sandbox gives the same bytes, and its storage sees no token', async () => {
  const sandbox = await startSandbox();
  const folder = temporaryFolder();
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  const download = (...words: string[]) =>
    run(['backup', 'download', '903', '-s', 'shop', '--output-dir', folder, ...words], { env });
  expect((await download()).code).toBe(0);
  expect((await download('--join')).code).toBe(0);
  await sandbox.close();
  const [whole = '', ...parts] = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(parts).toHaveLength(3);
  expect(parts.join('')).toBe(whole);
  const stored = sandbox.requests.filter(({ path }) => path.startsWith('/storage/'));
  expect(stored.map(({ bearer }) => bearer)).toEqual([false, false, false, false, false, false]);
});
