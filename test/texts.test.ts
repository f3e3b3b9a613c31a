import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('npm run texts finds no avoided word in a name, and no name that is exported by several files', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['bench/texts.mjs', '--check'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  expect(stdout).not.toContain('avoided words in names');
  expect(stdout).not.toContain('names exported by several files');
});
