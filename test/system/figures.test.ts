import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('npm run figures prints a number and a limit in every row', () => {
  const { stdout, stderr } = spawnSync(process.execPath, ['scripts/figures.mjs'], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const rows = stdout.trimEnd().split('\n');
  expect(rows).toHaveLength(11);
  expect(rows.filter((row) => !/^[\w:, ]+ [\d,]+ {3}at most [\d,]+$/.test(row))).toEqual([]);
});
