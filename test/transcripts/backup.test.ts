import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('backups are listed, newest first', transcriptFile);
test('the files of a backup, and their addresses', transcriptFile);
test('backups are created and imported', transcriptFile);

test('an import asks first', transcriptFile);

test('with --wait the backups that appeared are shown', transcriptFile);

test('the newest backup of each stack is downloaded, where it is of one database', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download --latest -s shop,blog/production --output-dir ${folder}
    ! error: shop failed: which database? postgresql shop_prod (backup 906), redis shop_cache (backup 905), postgresql shop_events (backup 903). blog/production succeeded.
    ! hint: stackops backup download --output-dir ${folder} --latest -s shop,blog/production --db shop_prod
    blog/production: wrote ${folder}/blog_20260504_033000.tar (132.0 KiB)
    = 1
  `);
});

test('a backup is downloaded', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download 901 -s shop --to ${folder}
    wrote ${folder}/shop_prod_20260502_030000.tar (384.0 KiB)
    $ stackops backup download 901 -s shop --to ${folder}
    ! error: cannot write ${folder}/shop_prod_20260502_030000.tar: it already exists
    ! hint: stackops backup download 901 --to ${folder} -s shop --force
    = 1
    $ stackops backup download 901 -s shop --to ${folder} --force --json --fields file,bytes
    [{"file":"tar","bytes":393216}]
    $ stackops backup download 903 tar-ab -s shop --to ${folder}
    wrote ${folder}/shop_events_20260502_032000.tar-ab (853.3 KiB)
    $ stackops backup download 903 -s shop --to ${folder}
    ! error: cannot write ${folder}/shop_events_20260502_032000.tar-ab: it already exists
    ! hint: stackops backup download 903 --to ${folder} -s shop --force
    = 1
    $ stackops backup download 903 --join -s shop --to ${folder}
    wrote ${folder}/shop_events_20260502_032000.tar (2.5 MiB)
    $ stackops backup download 903 tar-ax -s shop --to ${folder}
    ! error: backup 903 has no file "tar-ax"
    ! hint: stackops backup download 903 tar-aa --to ${folder} -s shop
    = 3
    $ stackops backup download 904 -s shop --to ${folder}
    ! error: backup 904 has no files
    ! hint: stackops backup get 904 -s shop
    = 3
    $ stackops backup download 902 -s shop --to ${folder}/none
    ! error: cannot write ${folder}/none: the folder does not exist
    ! hint: mkdir -p ${folder}/none
    = 2
    $ stackops backup download 902 -n -s shop --to ${folder}
    ! would write ${folder}/shop_cache_20260502_031000.tar
  `);
});

test('what is complete needs no --resume', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download 903 tar-ab -s shop --to ${folder}
    wrote ${folder}/shop_events_20260502_032000.tar-ab (853.3 KiB)
    $ stackops backup download 903 -s shop --to ${folder} --resume
    ! error: cannot write ${folder}/shop_events_20260502_032000.tar-ab: it already exists
    ! hint: stackops backup download 903 tar-aa tar-ac --resume --to ${folder} -s shop
    = 1
    $ stackops backup download 903 tar-ab -s shop --to ${folder} --resume
    ! error: cannot write ${folder}/shop_events_20260502_032000.tar-ab: it already exists
    ! hint: stackops backup download 903 tar-ab --to ${folder} --resume -s shop --force
    = 1
  `);
});

test('a served sandbox gives the same bytes, and its storage sees no token', async () => {
  const { env, requests } = await startSandbox();
  const folder = temporaryFolder();
  const download = (...words: string[]) =>
    run(['backup', 'download', '903', '-s', 'shop', '--to', folder, ...words], { env });
  expect((await download()).code).toBe(0);
  expect((await download('--join')).code).toBe(0);
  const [whole = '', ...parts] = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(parts).toHaveLength(3);
  expect(parts.join('')).toBe(whole);
  const stored = requests.filter(({ path }) => path.startsWith('/storage/'));
  expect(stored.map(({ bearer }) => bearer)).toEqual([false, false, false, false, false, false]);
});
