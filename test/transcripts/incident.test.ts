import { expect, test } from 'vitest';
import { ownFolders, run } from '../support/stackops.ts';

/** The rest of the incident is told in docs/cookbook.md, and executed by test/system/guides.test.ts. */
test('the autoscaler changes a variable while a question is open: nothing is sent', async () => {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
  await run(['sandbox', 'reset', '--scenario', 'incident'], { env, now });
  const asked = async () => {
    nowMs += 120_000;
  };
  const unset = ['stack', 'env', 'unset', 'WEB_CONCURRENCY', '-s', 'shop'];
  const { code, stderr } = await run(unset, { env, now, asked, terminal: 80, typed: ['y'] });
  expect(code).toBe(6);
  expect(stderr).toContain('WEB_CONCURRENCY changed while the question was open;');
});
