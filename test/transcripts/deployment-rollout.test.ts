import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('a canary is deployed beside the live version, gets more traffic, and is committed', () =>
  transcript(`
    80$ stackops redeploy -s blog/production --rollout-strategy canary --canary-percentage 5% --wait
    < y
    ! Deploy stack blog/production as a canary with 5 % of the traffic (from main, live: commit 33d486f since 2026-03-28T07:33:05Z)? [y/N]
    ! undo: stackops variant weight canary 0 -s blog/production
    ! make it the active version: stackops variant commit canary -s blog/production
    deployment 1042 succeeded after 4s: commit d9a2ece
    Rollout: a canary with 5 % of the traffic
    Still live: deployment 1033, commit 33d486f
    $ stackops variant list -s blog/production
    active⇥100⇥33d486f14c49eb721a7026593a3bf2f45980498e⇥2025-01-20T10:00:00Z⇥va-blog-live
    canary⇥5⇥d9a2ece9903ffe5077dbb9dc988929f0004db978⇥2026-05-04T12:00:05Z⇥va-1042
    $ stackops deployment list -s blog/production --columns id,outcome,is_live,is_head
    1042⇥success⇥no⇥yes
    1033⇥success⇥yes⇥no
    $ stackops variant weight canary 25 -s blog/production
    ! undo: stackops variant weight va-1042 5 -s blog/production
    variant va-1042 updated (5 % -> 25 %)
    $ stackops redeploy -s blog/production --rollout-strategy canary -y
    ! error: the service refused the request (400): rollout variant "va-1042" receives 25% of the traffic
    ! hint: if this service does not support strategies, leave out --rollout-strategy
    = 6
    $ stackops variant delete canary -s blog/production -y
    ! error: variant "va-1042" is a canary, not a preview; nothing was sent
    ! hint: stackops variant list -s blog/production
    = 6
    $ stackops variant commit canary -s blog/production -y
    variant va-1042 committed (va-blog-live, commit 33d486f -> va-1042, commit d9a2ece)
    $ stackops variant list -s blog/production
    active⇥100⇥d9a2ece9903ffe5077dbb9dc988929f0004db978⇥2026-05-04T12:00:05Z⇥va-1042
    $ stackops deployment list -s blog/production --columns id,outcome,is_live,is_head
    1042⇥success⇥yes⇥yes
    1033⇥success⇥no⇥no
  `));

test('a canary without traffic makes room for the next rollout', () =>
  transcript(`
    $ stackops redeploy -s shop --rollout-strategy canary --canary-percentage 5 -y
    ! error: the service refused the request (400): rollout variant "va-canary" receives 10% of the traffic
    ! hint: if this service does not support strategies, leave out --rollout-strategy and --canary-percentage
    = 6
    $ stackops variant weight canary 0 -s shop -y
    ! undo: stackops variant weight va-canary 10 -s shop
    variant va-canary updated (10 % -> 0 %)
    $ stackops redeploy -s shop --rollout-strategy blue_green_delayed -y
    ! undo: stackops deployment cancel 1042 -s shop
    deployment 1042 queued: Stack shop queued for redeployment
    Rollout: a delayed blue-green deployment
    $ stackops redeploy -s shop --rollout-strategy canary -y
    ! error: the service refused the request (400): deployment 1042 is a rollout and has not finished
    ! hint: if this service does not support strategies, leave out --rollout-strategy
    = 6
    +6s
    $ stackops variant list -s shop
    active⇥100⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥2026-04-14T09:34:10Z⇥va-active
    preview⇥0⇥1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819203⇥2026-04-15T12:05:00Z⇥va-preview
    blue_green⇥0⇥d9a2ece9903ffe5077dbb9dc988929f0004db978⇥2026-05-04T12:00:05Z⇥va-1042
  `));

test('a blue-green deployment', () =>
  transcript(`
    80$ stackops redeploy -s blog/production --rollout-strategy blue_green_delayed
    < n
    ! Deploy stack blog/production as a delayed blue-green deployment (from main, live: commit 33d486f since 2026-03-28T07:33:05Z)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops redeploy -s blog/production --rollout-strategy blue_green_delayed --wait -y
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: success
    ! make it the active version: stackops variant commit blue-green -s blog/production
    deployment 1042 succeeded after 4s: commit d9a2ece
    Rollout: a delayed blue-green deployment
    Still live: deployment 1033, commit 33d486f
    $ stackops variant commit blue-green -s blog/production -y
    variant va-1042 committed (va-blog-live, commit 33d486f -> va-1042, commit d9a2ece)
    $ stackops redeploy -s blog/production --rollout-strategy blue_green_immediate --wait -y
    ! 12:00:05 deployment 1043: queued
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1042 -s blog/production
    ! make it the active version: stackops variant commit blue-green -s blog/production
    deployment 1043 succeeded after 4s: commit 967009b
    Rollout: an immediate blue-green deployment
    Previously live: deployment 1042, commit d9a2ece
    $ stackops deployment list -s blog/production --columns id,outcome,is_live,is_head
    1043⇥success⇥yes⇥yes
    1042⇥success⇥no⇥no
    1033⇥success⇥no⇥no
    $ stackops variant list -s blog/production
    active⇥100⇥d9a2ece9903ffe5077dbb9dc988929f0004db978⇥2026-05-04T12:00:05Z⇥va-1042
    blue_green⇥100⇥967009b689d0d2df32e5e64be48eb2160117c4fc⇥2026-05-04T12:00:10Z⇥va-1043
    $ stackops redeploy -s blog/production -y --wait -q
    $ stackops variant list -s blog/production
    active⇥100⇥3ab3f4e695f6844bbd32bf7ef8f2a737605a7ba3⇥2026-05-04T12:00:05Z⇥va-1042
    blue_green⇥0⇥967009b689d0d2df32e5e64be48eb2160117c4fc⇥2026-05-04T12:00:10Z⇥va-1043
  `));

test('a deploy strategy is a fact of the question, and a rollout strategy of none is sent too', () =>
  transcript(`
    80$ stackops redeploy -s shop --deploy-strategy rolling --rollout-strategy none
    < n
    ! Deploy stack shop/production (from main, deploy strategy rolling, live: commit d8b847d since 2026-04-14T09:34:10Z)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops redeploy -s shop --deploy-strategy rolling --rollout-strategy none --dry-run --json
    {"dry_run":true,"method":"POST","url":"http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments","body":{"rollout_strategy":"none","deploy_strategy":"rolling","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}}
    $ stackops redeploy -s shop --deploy-strategy rolling --rollout-strategy canary --canary-percentage 0 -y --json -s blog/production
    {"id":1042,"rollout_strategy":"canary","canary_percentage":0,"deploy_strategy":"rolling","change":"queued","before":{"id":1033,"git_hash":"33d486f14c49eb721a7026593a3bf2f45980498e"},"after":{"id":1042,"message":"Stack blog queued for redeployment","queued":true},"action":null,"message":"Stack blog queued for redeployment","error":null}
    $ stackops redeploy -s shop --rollout-strategy bluegreen -y
    ! error: --rollout-strategy must be one of none, blue_green_immediate, blue_green_delayed, canary, not "bluegreen"
    = 2
    $ stackops redeploy -s shop --rollout-strategy canary --canary-percentage 101 -y
    ! error: --canary-percentage must be between 0 and 100, not "101"
    = 2
  `));

test('a refusal of a service that may not know strategies says what to leave out', async () => {
  const refusals = [400, 404, 409].map(async (status) => {
    const service = await startService(({ method }, response) =>
      method === 'GET' ? reply(response, { response: [] }) : reply(response, { error: 'unknown' }, status),
    );
    onTestFinished(service.close);
    const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token' };
    const words = ['redeploy', '-y', '--rollout-strategy', 'canary', '--deploy-strategy', 'fast', '-s', '5'.repeat(32)];
    return (await run(words, { env })).stderr;
  });
  const hint =
    'hint: if this service does not support strategies, leave out --rollout-strategy and --deploy-strategy\n';
  expect(await Promise.all(refusals)).toEqual([
    `error: the service refused the request (400): unknown\n${hint}`,
    `error: deployments not found in stack ${'5'.repeat(32)}: unknown\n${hint}`,
    'error: the service refused the request (409): unknown\n',
  ]);
});

test('a share needs a canary', () =>
  transcript(`
    $ stackops redeploy -s shop --canary-percentage 5 -y
    ! error: --canary-percentage needs --rollout-strategy canary; nothing was sent
    ! hint: stackops redeploy --canary-percentage 5 -s shop -y --rollout-strategy canary
    = 2
    $ stackops redeploy -s shop --rollout-strategy none --canary-percentage 5 -y
    ! error: --canary-percentage needs --rollout-strategy canary; nothing was sent
    ! hint: stackops redeploy --rollout-strategy canary --canary-percentage 5 -s shop -y
    = 2
  `));

test('a failed canary makes no variant', () =>
  transcript(`
    $ stackops variant commit canary -s shop -y
    variant va-canary committed (va-active, commit d8b847d -> va-canary, commit 9d4e1f7)
    $ stackops redeploy -s shop --git-ref broken --rollout-strategy canary --canary-percentage 5 -y --wait
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: failed
    ! error: deployment 1042 failed after 4s (commit 089b39c): The build failed. Live is still 1041.
    ! hint: stackops deployment get 1042 -s shop
    = 9
    $ stackops variant list -s shop
    active⇥100⇥9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930⇥2026-04-15T07:50:00Z⇥va-canary
    preview⇥0⇥1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819203⇥2026-04-15T12:05:00Z⇥va-preview
  `));
