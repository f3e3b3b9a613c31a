import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('variables are printed as a file; read-only ones only when they are wanted', transcriptFile);

test('a named variable that a stack without variables lacks is an error', async () => {
  const state = seedState(seedMoment);
  state.stacks[0]?.variables.splice(0);
  const { env } = await startSandbox({ state });
  expect(await run(['stack', 'env', 'export', 'LOG_LEVEL', '-s', 'shop'], { env })).toEqual({
    code: 3,
    stdout: '',
    stderr: 'error: environment variable "LOG_LEVEL" not found\n' + 'hint: stackops stack env list -s shop\n',
  });
});

test('a file is updated in place, and says what is different now', async (context) => {
  const folder = temporaryFolder();
  const file = join(folder, 'staging.env');
  writeFileSync(file, '# ours\nLOG_LEVEL="debug" # loud\nLOCAL=mine\n', { mode: 0o644 });
  await transcriptFile(context, { folder });
  expect(readFileSync(file, 'utf8')).toBe('# ours\nLOG_LEVEL=info # loud\nLOCAL=mine\nCURRENCY=EUR\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  chmodSync(file, 0o640);
  await transcript(`
    $ stackops stack env export LOG_LEVEL -s shop --to ${file}
    ! warning: other users can read ${file}
    ${file}: 0 added, 0 changed, 1 unchanged, 2 only in the file
  `);
});

test('--dry-run writes no file', async () => {
  const file = join(temporaryFolder(), 'staging.env');
  writeFileSync(file, 'LOG_LEVEL=debug\n');
  await transcript(`
    $ stackops stack env export LOG_LEVEL CURRENCY -s shop --to ${file} --dry-run
    ! would write ${file}
    + CURRENCY
    ~ LOG_LEVEL
    ${file}: 1 added, 1 changed, 0 unchanged
  `);
  expect(readFileSync(file, 'utf8')).toBe('LOG_LEVEL=debug\n');
});

test('a file in a folder that does not exist cannot be written', () => {
  const file = join(temporaryFolder(), 'missing', 'staging.env');
  return transcript(`
    $ stackops stack env export CURRENCY -s shop --to ${file}
    ! error: cannot write ${dirname(file)}: the folder does not exist
    ! hint: mkdir -p ${dirname(file)}
    = 2
    $ stackops stack env export CURRENCY -s shop --to ${file} -n
    ! error: cannot write ${dirname(file)}: the folder does not exist
    ! hint: mkdir -p ${dirname(file)}
    = 2
    $ stackops pull ${file} -s shop
    ! error: cannot write ${dirname(file)}: the folder does not exist
    ! hint: mkdir -p ${dirname(file)}
    = 2
  `);
});

test('a file with a mistake is left alone', async () => {
  const file = join(temporaryFolder(), 'staging.env');
  const text = 'A=1\nB="open\n';
  writeFileSync(file, text);
  await transcript(`
    $ stackops stack env export -s shop --to ${file}
    ! error: ${file} line 2: this quote is never closed
    = 2
  `);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test('a file that git would take in is warned of', async (context) => {
  const folder = temporaryFolder();
  execFileSync('git', ['init', '-q'], { cwd: folder });
  writeFileSync(join(folder, '.gitignore'), 'ignored.env\n');
  await transcriptFile(context, { folder });
});
