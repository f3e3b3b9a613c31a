import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, runBuilt, runShell } from '../support/built.ts';
import { temporaryFolder } from '../support/stackops.ts';

const env = () => ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_TOKEN: '' });
const set = (path: string) => ['stack', 'env', 'set', 'VALUE', '--from-file', path, '-s', 'shop', '--dry-run'];

test.each([
  ['/dev/zero', (_: string) => '/dev/zero', 'not a regular file'],
  ['a named pipe that nobody writes to', fifoIn, 'no program writes to it'],
  ['a folder', (folder: string) => folder, 'it is a folder'],
  ['nothing', (folder: string) => join(folder, 'no'), 'file not found'],
])('a value from %s is refused', async (_, make, why) => {
  const path = make(temporaryFolder());
  const { code, stdout, stderr } = await runBuilt(set(path), { env: env() });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`error: cannot read ${path}: ${why}\n`);
});

function fifoIn(folder: string): string {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
}

test('no more than 1 MiB of a file, a pipe or stdin', async () => {
  const file = join(temporaryFolder(), 'large');
  writeFileSync(file, 'x'.repeat(1024 * 1024 + 1));
  const words = `stackops ${set('F').join(' ')}`;
  for (const [line, shown] of [
    [words.replace('F', file), file],
    [`yes | ${words.replace('F', '/dev/stdin')}`, '/dev/stdin'],
    [`yes | ${words.replace('--from-file F', '--stdin')}`, 'stdin'],
    [`${words.replace('--from-file F', '--stdin')} </dev/zero`, 'stdin'],
  ] as const) {
    const { code, stderr } = await runShell(line, env());
    expect({ line, code }).toEqual({ line, code: 2 });
    expect(stderr).toContain(`error: ${shown} is larger than 1 MiB\n`);
  }
});

test.each([
  ['a pipe that is slow to begin', '<(read -t 0.2 <> <(:); echo late)', 'late\n'],
  ['a named pipe with a writer', '"$pipe"', 'named\n'],
])('a value from %s is read', async (_, path, value) => {
  const words = '-s shop -q';
  const line = `(printf named >"$pipe" &); stackops stack env set VALUE --from-file ${path} ${words}; : <>"$pipe"`;
  const { stdout, stderr } = await runShell(`${line}; stackops stack env get VALUE ${words}`, {
    ...env(),
    pipe: fifoIn(temporaryFolder()),
  });
  expect({ stdout, stderr }).toMatchObject({ stdout: value });
});

test('a folder as stdin is no empty value', async () => {
  const line = 'stackops stack env set VALUE --stdin -s shop --dry-run <"$folder"';
  const { code, stderr } = await runShell(line, { ...env(), folder: temporaryFolder() });
  expect(code).toBe(2);
  expect(stderr).toContain('error: cannot read stdin: it is a folder\n');
});
