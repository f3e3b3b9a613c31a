import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('npm run texts --check finds no avoided word, no error that begins with a capital, no name that several files export, and few avoided comments', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/texts.mjs', '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).toBe('');
});
