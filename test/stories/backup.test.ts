import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('backups are listed, newest first', () =>
  transcript(`
    100$ stackops backup list -s shop
    $ stackops backup list -s shop --columns id,database_name,backup_date_iso,backup_size,backup_status
    $ stackops backup list -s shop --db-type redis -q
    $ stackops backup list -s shop --db-type oracle
    $ stackops backup list -s shop --group 99
    80$ stackops backup get 904 -s shop
    $ stackops backup get 999 -s shop
    $ stackops backup get latest -s shop
  `));

test('the files of a backup, and their addresses', () =>
  transcript(`
    80$ stackops backup files 903 -s shop
    $ stackops backup files 904 -s shop
    $ stackops backup url 901 tar -s shop
    $ stackops backup url 901 tar-aa -s shop
    $ stackops backup url 901 ../901 -s shop
    80$ stackops backup url 901 tar -s shop --json --fields ok
  `));

test('backups are created and imported', () =>
  transcript(`
    $ stackops backup create -s shop --db-type postgresql --gzip
    +30s
    $ stackops backup list -s shop --columns id,db_type,backup_date_iso,backup_status --limit 1
    $ stackops backup create -s shop --frequency nightly
    $ stackops backup create -s shop --frequency @daily --keep-count 0
    $ stackops backup create -s shop --db-type oracle
    $ stackops backup create -s shop --remote-url https://files.example.com/shop.tar
    $ stackops backup import -s shop --db-type postgresql --url https://files.example.com/shop.tar
    $ stackops backup import -s shop --group 1 --db-type all --url https://files.example.com/shop.tar
    $ stackops backup import -s shop --group 1 --db-type postgresql --url shop.tar
    $ stackops backup import -s shop --group 1 --db-type postgresql --url https://files.example.com/shop.tar
    $ stackops backup import -s shop --group 1 --db-type postgresql,redis --url https://files.example.com/shop.tar -n
    $ STACKOPS_TOKEN=sandbox_public stackops backup create -s shop
  `));

test('a backup is downloaded', () => {
  const folder = temporaryFolder();
  return transcript(`
    $ stackops backup download 901 -s shop --output-dir ${folder}
    $ stackops backup download 901 -s shop --output-dir ${folder}
    $ stackops backup download 901 -s shop --output-dir ${folder} --force --json --fields file,bytes
    $ stackops backup download 903 tar-ab -s shop --output-dir ${folder}
    $ stackops backup download 903 -s shop --output-dir ${folder}
    $ stackops backup download 903 --join -s shop --output-dir ${folder}
    $ stackops backup download 903 tar-ax -s shop --output-dir ${folder}
    $ stackops backup download 904 -s shop --output-dir ${folder}
    $ stackops backup download 902 -s shop --output-dir ${folder}/none
    $ stackops backup download 902 -n -s shop --output-dir ${folder}
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
