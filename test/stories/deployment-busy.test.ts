import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('during another deployment redeploy waits, skips or fails', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y --if-busy fail
    ! error: deployment 1042 is pending; nothing was sent
    ! hint: stackops deployment list -s shop
    = 6
    $ stackops redeploy -s shop --if-busy fail --json
    ! {"error":{"code":"rejected","message":"deployment 1042 is pending; nothing was sent","status":null,"hint":"stackops deployment list -s shop","exit_code":6,"operation":null,"request_id":null}}
    = 6
    $ stackops redeploy -s shop --if-busy skip
    skipped: deployment 1042 is pending
    $ stackops redeploy -s shop --if-busy skip --json
    {"id":null,"change":"unchanged","before":null,"after":null,"action":null,"message":"deployment 1042 is pending","error":null}
    $ stackops redeploy -s shop -y --if-busy wait --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments
    Content-Type: application/json

    {"user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    $ stackops redeploy -s shop -y --if-busy wait --wait --wait-timeout 1s
    ! 12:00:00 the deployment in progress: deployment 1042 is pending
    ! 12:00:01 the deployment in progress: deployment 1042 is deploying
    ! error: not deployed: the deployment in progress not finished after 1s (deployment 1042 is deploying); it continues
    ! hint: stackops deployment list -s shop
    = 8
    $ stackops redeploy -s shop -y --if-busy wait
    ! 12:00:01 the deployment in progress: deployment 1042 is deploying
    ! 12:00:06 the deployment in progress: finished
    ! undo: stackops deployment cancel 1043 -s shop
    deployment 1043 queued: Stack shop queued for redeployment
    $ stackops deployment list -s shop --limit 3 --columns id,outcome
    1043⇥pending
    1042⇥success
    1041⇥success
    $ stackops redeploy -s shop -y --if-busy wait --wait
    ! 12:00:06 the deployment in progress: deployment 1043 is pending
    ! 12:00:11 the deployment in progress: finished
    ! 12:00:11 deployment 1044: queued
    ! 12:00:16 deployment 1044: success
    ! undo: stackops deployment rollback 1043 -s shop
    deployment 1044 succeeded after 4s: commit 3ab3f4e
    Previously live: deployment 1043, commit 967009b
    $ stackops redeploy -s shop -y --if-busy later
    ! error: --if-busy must be one of wait, skip, fail, not "later"
    = 2
  `));

test('where no deployment is in progress, it deploys at once', () =>
  transcript(`
    $ stackops redeploy -s shop -y --if-busy skip
    ! undo: stackops deployment cancel 1042 -s shop
    deployment 1042 queued: Stack shop queued for redeployment
    +10s
    $ stackops redeploy -s shop -y --if-busy wait
    ! undo: stackops deployment cancel 1043 -s shop
    deployment 1043 queued: Stack shop queued for redeployment
    +10s
    $ stackops redeploy -s shop -y --git-ref broken --if-busy fail
    ! undo: stackops deployment cancel 1044 -s shop
    deployment 1044 queued: Stack shop queued for redeployment
    $ stackops redeploy -s shop -y --if-busy wait --wait
    ! 12:00:20 the deployment in progress: deployment 1044 is pending
    ! 12:00:25 the deployment in progress: finished
    ! 12:00:25 deployment 1045: queued
    ! 12:00:30 deployment 1045: success
    ! undo: stackops deployment rollback 1043 -s shop
    deployment 1045 succeeded after 4s: commit 6069abb
    Previously live: deployment 1043, commit 967009b
    $ stackops history list --limit 2
    4⇥2026-05-04T12:00:25Z⇥redeploy -s shop -y --if-busy wait --wait⇥done⇥deployment 1045⇥sandbox⇥5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    3⇥2026-05-04T12:00:20Z⇥redeploy -s shop -y --git-ref broken --if-busy fail⇥done⇥deployment 1044⇥sandbox⇥5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
  `));

test('a person is asked before it waits', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    80$ stackops redeploy -s shop --if-busy wait
    < y
    ! Deploy stack shop/production (from main, live: commit d8b847d since 2026-04-14T09:34:10Z, deployment 1042 is pending)? [y/N]
    ! undo: stackops deployment cancel 1043 -s shop
    deployment 1043 queued: Stack shop queued for redeployment
  `));
