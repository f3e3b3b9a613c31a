import { expect, test } from 'vitest';
import { ownEnvironment, runShell } from './support/built.ts';

test('no command sends more requests, in a row or in all, than its budget', async () => {
  const { code, stdout, stderr } = await runShell('node bench/trips.mjs', ownEnvironment({}));
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  const rows = stdout.trimEnd().split('\n');
  expect(rows).toHaveLength(36);
  expect(rows.filter((row) => !/ \d+ in a row, \d+ in all +at most \d+, \d+ +met$/.test(row))).toEqual([]);
});
