import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('npm run texts --check finds no avoided word, no error that begins with a capital, and no name that is exported by several files', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/texts.mjs', '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('');
});
