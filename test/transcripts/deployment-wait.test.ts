import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('with --wait a deployment is watched to its end, and the one live before is shown', () =>
  transcript(`
    $ stackops redeploy -s shop -y --wait
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: success
    ! undo: stackops deployment rollback 1041 -s shop
    deployment 1042 succeeded after 4s: commit d9a2ece
    Previously live: deployment 1041, commit d8b847d
    $ stackops redeploy -s shop -y --wait --json
    {"id":1043,"change":"deployed","before":{"id":1042,"git_hash":"d9a2ece9903ffe5077dbb9dc988929f0004db978"},"after":{"id":1043,"outcome":{"code":1,"meaning":"success"},"started_at":"2026-05-04T12:00:06Z","finished_at":"2026-05-04T12:00:10Z","git_hash":"967009b689d0d2df32e5e64be48eb2160117c4fc","triggered_by":"ada@harbour.example","triggered_via":{"code":1,"meaning":"api"},"deploy_type":{"code":1,"meaning":"redeploy"},"is_live":true,"is_head":true,"is_deploying":false,"deploy_session":"53af7daad6ef","reverted":null,"reverted_by":null,"reverted_at":null,"commit_url":"https://git.example/harbour/shop/commit/967009b689d0d2df32e5e64be48eb2160117c4fc"},"action":null,"message":null,"error":null}
    $ stackops redeploy -s shop -y --wait --git-ref 49ab129a103d33ca1654604286d6011b2f6d8c46 --json --fields id,before,after.outcome.meaning
    {"id":1044,"before":{"id":1043,"git_hash":"967009b689d0d2df32e5e64be48eb2160117c4fc"},"after":{"outcome":{"meaning":"success"}}}
    $ stackops redeploy -s shop -y --wait --git-ref 49ab129a103d33ca1654604286d6011b2f6d8c46
    ! 12:00:15 deployment 1045: queued
    ! 12:00:20 deployment 1045: success
    deployment 1045 succeeded after 4s: commit 49ab129
    Previously live: deployment 1044, commit 49ab129
    $ stackops redeploy -s blog/staging -y --wait --services web:v2
    ! 12:00:20 deployment 1046: queued
    ! 12:00:25 deployment 1046: success
    deployment 1046 succeeded after 4s: commit a1dc4be
    Previously live: deployment 1035, commit 2ad3480
  `));

test('what went live meanwhile was live before', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y --wait
    ! 12:00:00 deployment 1043: queued
    ! 12:00:05 deployment 1043: deploying
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1042 -s shop
    deployment 1043 succeeded after 4s: commit 967009b
    Previously live: deployment 1042, commit d9a2ece
  `));

test('a deployment that fails is 9, and nothing is there to take back', () =>
  transcript(`
    $ stackops redeploy -s shop -y --wait --git-ref broken
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: failed
    ! error: deployment 1042 failed after 4s (commit 089b39c): The build failed. Live is still 1041.
    ! hint: stackops deployment get 1042 -s shop
    = 9
    $ stackops redeploy -s shop -y --wait --git-ref broken --json --fields id,change,after.outcome
    ! {"error":{"code":"operation_failed","message":"deployment 1043 failed after 4s (commit 6429a2c): The build failed. Live is still 1041.","status":null,"hint":"stackops deployment get 1043 -s shop","exit_code":9,"operation":null,"request_id":null}}
    {"id":1043,"change":"failed","after":{"outcome":{"code":2,"meaning":"failed"}}}
    = 9
    $ stackops deployment list -s shop --limit 3 --columns id,outcome,is_live
    1043⇥failed⇥no
    1042⇥failed⇥no
    1041⇥success⇥yes
  `));

test('a deployment that takes too long is 8, and can be waited for and cancelled', () =>
  transcript(`
    $ stackops redeploy -s shop -y --wait --wait-timeout 2s
    ! 12:00:00 deployment 1042: queued
    ! 12:00:02 deployment 1042: deploying
    ! undo: stackops deployment cancel 1042 -s shop
    ! error: deployment 1042 has not finished after 2s (deploying); it continues
    ! hint: stackops deployment wait 1042 -s shop
    deployment 1042 deploying: commit d9a2ece
    = 8
    $ stackops redeploy -s shop -y --wait --wait-timeout 2s --json --fields id,change,after.finished_at
    ! {"error":{"code":"pending","message":"deployment 1043 has not finished after 2s (queued); it continues","status":null,"hint":"stackops deployment wait 1043 -s shop","exit_code":8,"operation":null,"request_id":null}}
    {"id":1043,"change":"queued","after":{"finished_at":null}}
    = 8
    $ stackops deployment cancel 1043 -s shop -y --wait
    ! 12:00:04 the cancellation of deployment 1043: cancelled
    deployment 1043 cancelled (pending -> cancelled)
  `));

test('deployment wait ends as the deployment does', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y -q --git-ref broken
    $ stackops deployment wait 1042 -s shop --wait-timeout 2s
    ! 12:00:00 deployment 1042: queued
    ! 12:00:02 deployment 1042: deploying
    ! error: deployment 1042 has not finished after 2s (deploying); it continues
    ! hint: stackops deployment wait 1042 -s shop
    deployment 1042 deploying: commit d9a2ece
    = 8
    $ stackops deployment wait 1042 -s shop --poll 1s
    ! 12:00:02 deployment 1042: deploying
    ! 12:00:05 deployment 1042: success
    deployment 1042 succeeded after 4s: commit d9a2ece
    $ stackops deployment wait 1042 -s shop -q
    $ stackops deployment wait 1042 -s shop --json --fields id,outcome
    {"id":1042,"outcome":{"code":1,"meaning":"success"}}
    $ stackops deployment wait 1043 -s shop
    ! 12:00:05 deployment 1043: deploying
    ! 12:00:10 deployment 1043: failed
    ! error: deployment 1043 failed after 4s (commit 6429a2c): The build failed. Live is still 1042.
    ! hint: stackops deployment get 1043 -s shop
    = 9
    $ stackops deployment wait 1043 -s shop --json --fields id,outcome.meaning
    ! {"error":{"code":"operation_failed","message":"deployment 1043 failed after 4s (commit 6429a2c): The build failed. Live is still 1042.","status":null,"hint":"stackops deployment get 1043 -s shop","exit_code":9,"operation":null,"request_id":null}}
    {"id":1043,"outcome":{"meaning":"failed"}}
    = 9
    $ stackops deployment wait 7 -s shop
    ! error: deployment 7 not found in shop/production
    ! hint: stackops deployment list -s shop
    = 3
    $ stackops deployment wait 1042 -s shop --poll 10ms
    ! error: --poll must be at least 1s, not "10ms"
    = 2
  `));

test('where nothing can show the end, the wait says so at once', async () => {
  const service = await startService(({ method }, response) =>
    method === 'POST'
      ? reply(response, { response: { message: 'ok', queued: true } })
      : reply(response, { error: 'forbidden' }, 403),
  );
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stderr } = await run(['redeploy', '-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60', '-y', '--wait'], { env });
  expect(code).toBe(8);
  expect(stderr).toContain(
    'error: cannot tell whether the deployment finished: the deployments before it could not be read\n',
  );
});

test('the cause of a failure repeats no value that was written', async () => {
  const times = { started_at: '2026-05-04T12:00:00Z', finished_at: '2026-05-04T12:00:04Z' };
  const failed = { id: 3, ...times, outcome: { code: 2, meaning: 'failed' } };
  const action = { id: 9, action: 'deploy', ...times, finished_success: false, finished_message: 'bad correct-horse' };
  const replies: Readonly<Record<string, unknown>> = {
    'POST environments': { id: 1, key: 'A', value: 'correct-horse' },
    'GET environments': [],
    'POST deployments': { id: 3, message: 'ok', queued: true },
    'GET deployments': [],
    'GET 3': failed,
    'GET actions': [action],
  };
  const service = await startService(({ method, path }, response) =>
    reply(response, { response: replies[`${method} ${path.slice(path.lastIndexOf('/') + 1)}`] ?? {} }),
  );
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const words = 'stack env set A=correct-horse --redeploy -y --wait -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
  const { stderr } = await run(words.split(' '), { env });
  expect(stderr).toMatch(/deployment 3 failed after 4s: bad \S+\./);
  expect(stderr).not.toContain('correct-horse');
});
