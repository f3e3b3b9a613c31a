import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('latest and live mean a deployment wherever one is named', () =>
  transcript(`
    $ stackops deployment get latest -s shop --json --fields id,git_hash
    {"id":1041,"git_hash":"d8b847daf0a06d549f0919d2c59a146e283b8b78"}
    $ stackops redeploy -s shop -y -q
    $ stackops deployment get latest -s shop --json --fields id,is_deploying
    {"id":1042,"is_deploying":false}
    $ stackops backup get latest -s shop --json --fields id,backup_status
    {"id":906,"backup_status":0}
    $ stackops backup get latest -s blog/staging
    ! error: no good backup
    ! hint: stackops backup list -s blog/staging
    = 3
    $ stackops deployment cancel latest -s shop -y
    deployment 1042 cancelled (pending -> cancelled)
    $ stackops deployment get live -s shop --json --fields id
    {"id":1041}
    $ stackops deployment wait live -s shop
    ! 12:00:00 deployment 1041: success
    deployment 1041 succeeded after 4m 10s: commit d8b847d
    $ stackops open deployment live -s shop --no-browser
    https://git.example/harbour/shop/commit/d8b847daf0a06d549f0919d2c59a146e283b8b78
    $ stackops deployment rollback live -s shop -n
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments
    Content-Type: application/json

    {"git_ref":"d8b847daf0a06d549f0919d2c59a146e283b8b78","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    $ stackops deployment rollback latest -s shop -y
    ! error: cannot roll back to deployment 1042: it did not succeed (cancelled); nothing was sent
    ! hint: stackops deployment list -s shop
    = 6
    $ stackops deployment cancel live -s shop -y
    ! error: deployment 1041 has already finished (success); nothing was cancelled
    = 6
    $ stackops backup files latest -s shop
    tar⇥shop_prod_20260504_030000.tar
    $ stackops backup url latest tar -s shop
    http://sandbox.localhost/storage/backups/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/906/shop_prod_20260504_030000.tar?Expires=1777896900&Signature=721d72341845b6cf9f65009549b37f9614c0c4fb
    $ stackops action get latest -s shop --json --fields id
    {"id":812}
    $ stackops action wait latest -s shop
    ! 12:00:00 action 812: failed: Cancelled.
    ! error: action 812 failed: Cancelled.
    action 812 (deploy of stack) failed: Cancelled.
    = 9
    $ stackops action get newest -s shop
    ! error: <action> must be a whole number or latest, not "newest"
    = 2
    $ stackops action get latest -s blog/staging
    ! error: no action
    ! hint: stackops action list -s blog/staging
    = 3
    $ stackops deployment get newest -s shop
    ! error: <deployment> must be a whole number, latest or live, not "newest"
    = 2
  `));

test('deployment wait finds the newest deployment of a commit', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops deployment wait latest -s shop
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: success
    deployment 1042 succeeded after 4s: commit d9a2ece
    $ stackops redeploy -s shop -y -q --git-ref 49ab129a103d33ca1654604286d6011b2f6d8c46
    $ stackops deployment wait --commit 49AB129 -s shop --live
    ! 12:00:05 deployment of commit 49ab129: queued
    ! 12:00:10 deployment of commit 49ab129: success
    deployment 1043 succeeded after 4s: commit 49ab129, live
    $ stackops deployment wait --commit 49ab129 -s shop --live --json --fields id,is_live
    {"id":1043,"is_live":true}
    $ stackops deployment wait --commit d9a2ece -s shop
    ! 12:00:10 deployment of commit d9a2ece: success
    deployment 1042 succeeded after 4s: commit d9a2ece
    $ stackops deployment wait --commit d9a2ece -s shop --live
    ! 12:00:10 deployment of commit d9a2ece: success
    ! error: deployment 1042 succeeded, but a newer one is live
    ! hint: stackops deployment list -s shop
    deployment 1042 succeeded after 4s: commit d9a2ece
    = 9
    $ stackops redeploy -s shop -y -q --git-ref broken
    $ stackops deployment wait latest --live -s shop --wait-timeout 2s
    ! 12:00:10 deployment 1044: queued
    ! 12:00:12 deployment 1044: deploying
    ! error: deployment 1044 has not finished after 2s (deploying); it continues
    ! hint: stackops deployment wait 1044 --live -s shop
    deployment 1044 deploying: commit d1d4798
    = 8
    $ stackops deployment wait latest --live -s shop
    ! 12:00:12 deployment 1044: deploying
    ! 12:00:17 deployment 1044: failed
    ! error: deployment 1044 failed after 4s (commit d1d4798): The build failed. Live is still 1043.
    ! hint: stackops deployment get 1044 -s shop
    = 9
  `));

test('a commit that is never deployed is 3', () =>
  transcript(`
    $ stackops deployment wait --commit 0123456 -s shop --wait-timeout 12s
    ! 12:00:00 deployment of commit 0123456: not found yet
    ! error: no deployment of commit 0123456 after 12s
    ! hint: stackops deployment wait --commit 0123456 -s shop
    = 3
    $ stackops deployment wait --commit 0123456 -s shop --wait-timeout 1s --json
    ! {"error":{"code":"not_found","message":"no deployment of commit 0123456 after 1s","status":null,"hint":"stackops deployment wait --commit 0123456 -s shop","exit_code":3,"operation":null,"request_id":null}}
    = 3
    $ stackops deployment wait --commit d8b847 -s shop
    ! error: --commit must be at least 7 hexadecimal digits, not "d8b847"
    = 2
    $ stackops deployment wait --commit main -s shop
    ! error: --commit must be at least 7 hexadecimal digits, not "main"
    = 2
    $ stackops deployment wait 1041 --commit d8b847d -s shop
    ! error: use a deployment or --commit, not both
    = 2
    $ stackops deployment wait -s shop
    ! error: missing argument <deployment>: give an ID, latest, live or --commit
    = 2
    $ stackops deployment wait --live -s shop
    ! error: missing argument <deployment>: give an ID, latest, live or --commit
    = 2
  `));

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
  return { service, env: { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' } };
}

test('a commit is waited for until it appears, and the newest of its deployments is taken', async () => {
  const other = deployment(9, { git_hash: 'd8b847daf0a06d549f0919d2c59a146e283b8b78' });
  const { env, service } = await listing([other], [other], [deployment(11, {}), deployment(10, {}), other]);
  const ran = await run(['deployment', 'wait', '--commit', '49ab129', '-s', uid], { env });
  expect(ran).toEqual({
    code: 0,
    stdout: 'deployment 11 succeeded after 4s: commit 49ab129\n',
    stderr: '12:00:00 deployment of commit 49ab129: not found yet\n12:00:10 deployment of commit 49ab129: success\n',
  });
  expect(service.seen.map(({ path }) => path)).toEqual(Array(3).fill(`/stacks/${uid}/deployments`));
});

test('with --live a success that is not live yet is waited for', async () => {
  const { env } = await listing([deployment(11, {})], [deployment(11, { is_live: true })]);
  const ran = await run(['deployment', 'wait', '11', '--live', '-s', uid], { env });
  expect(ran).toEqual({
    code: 0,
    stdout: 'deployment 11 succeeded after 4s: commit 49ab129, live\n',
    stderr: '12:00:00 deployment 11: success, not live yet\n12:00:10 deployment 11: success\n',
  });
});

test('latest is the greatest ID, whatever the order; where there is no deployment, it is 3', async () => {
  const { env } = await listing([deployment(9, {}), deployment(11, {}), deployment(10, {})]);
  const ran = await run(['deployment', 'get', 'latest', '-s', uid, '--json', '--fields', 'id'], { env });
  expect(ran.stdout).toBe('{"id":11}\n');
  const none = await run(['deployment', 'get', 'latest', '-s', uid], { env: (await listing([])).env });
  expect([none.code, none.stderr]).toEqual([3, `error: no deployment\nhint: stackops deployment list -s ${uid}\n`]);
});

test.each([
  ['the one that was given', ['wait', '11']],
  ['the one of the commit', ['wait', '--commit', '49ab129']],
  ['the one that is read', ['get', '11']],
])('an answer about another deployment than %s is none', async (_, words) => {
  const service = await startService(({ path }, response) => {
    const isList = path.endsWith('/deployments');
    const running = deployment(11, { finished_at: null, outcome: { code: 0, meaning: 'pending' } });
    reply(response, { response: isList ? [running] : deployment(7, {}) });
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stdout, stderr } = await run(['deployment', ...words, '-s', uid], { env });
  expect([code, stdout]).toEqual([7, '']);
  expect(stderr).toContain('the service answered with deployment 7, not 11');
});

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
