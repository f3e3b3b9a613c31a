import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('backups are listed, newest first', transcriptFile);
test('the files of a backup, and their addresses', transcriptFile);
test('backups are created and imported', transcriptFile);

test('an import asks first', transcriptFile);

test('with --wait the backups that appeared are shown', transcriptFile);

test('the newest backup of each stack is downloaded, where it is of one database', transcriptFile);

test('a backup is downloaded', transcriptFile);

test('what is complete needs no --resume', transcriptFile);

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
