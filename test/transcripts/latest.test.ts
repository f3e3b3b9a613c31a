import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('latest and live mean a deployment wherever one is named', transcriptFile);
test('deployment wait finds the newest deployment of a commit', transcriptFile);
test('a commit that is never deployed is 3', transcriptFile);

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const deployment = (id: number, more: object) => ({
  id,
  git_hash: '49ab129a103d33ca1654604286d6011b2f6d8c46',
  started_at: '2026-05-04T12:00:00Z',
  finished_at: '2026-05-04T12:00:04Z',
  outcome: { code: 1, meaning: 'success' },
  is_live: false,
  is_deploying: false,
  ...more,
});
/** A service that sends these lists one after the other, and of the last list its rows by ID. */
async function listing(...lists: readonly (readonly { readonly id: number }[])[]) {
  const service = await startService(({ path }, response) => {
    const isList = path.endsWith('/deployments');
    const { length } = service.seen.filter((one) => one.path.endsWith('/deployments'));
    const rows = lists[Math.min(Math.max(length, 1), lists.length) - 1] ?? [];
    reply(response, { response: isList ? rows : rows.find(({ id }) => path.endsWith(`/${id}`)) });
  });
  return { service, env: service.env };
}

test('a commit is waited for until it appears, and the newest of its deployments is taken', transcriptFile);
test('with --live a success that is not live yet is waited for', transcriptFile);

test('latest is the greatest ID, whatever the order; where there is no deployment, it is 3', async () => {
  const { env } = await listing([deployment(9, {}), deployment(11, {}), deployment(10, {})]);
  const ran = await run(['deployment', 'get', 'latest', '-s', uid, '--json', '--fields', 'id'], { env });
  expect(ran.stdout).toBe('{"id":11}\n');
  const none = await run(['deployment', 'get', 'latest', '-s', uid], { env: (await listing([])).env });
  expect([none.code, none.stderr]).toEqual([3, `error: no deployment\nhint: stackops deployment list -s ${uid}\n`]);
});

test('an answer about another deployment than the one that was given is none', transcriptFile);
test('an answer about another deployment than the one of the commit is none', transcriptFile);
test('an answer about another deployment than the one that is read is none', transcriptFile);

test('a deployment without a commit is told without one, and what is not known of a failure is left out', async () => {
  const failed = deployment(11, { git_hash: null, outcome: { code: 2, meaning: 'failed' } });
  const { env } = await listing([failed]);
  const ran = await run(['deployment', 'wait', '11', '-s', uid], { env });
  expect(ran).toMatchObject({ code: 9, stdout: '' });
  expect(ran.stderr).toContain(`error: deployment 11 failed after 4s\nhint: stackops deployment get 11 -s ${uid}\n`);
  const running = deployment(12, { git_hash: null, finished_at: null, outcome: { code: 0, meaning: 'pending' } });
  const { env: other } = await listing([running]);
  const asked = await run(['deployment', 'cancel', '12', '-s', uid], { env: other, terminal: 80, stdin: 'n\n' });
  expect(asked.stderr).toContain('pending, no commit');
  expect(asked.stderr).not.toContain('commit undefined');
});
