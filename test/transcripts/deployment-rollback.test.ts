import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('a rollback deploys the commit that was live before, and is itself taken back', () =>
  transcript(`
    80$ stackops deployment rollback -s shop
    < n
    ! Roll back stack shop/production (commit d8b847d -> e5e13e8 of deployment 1040)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops deployment rollback -s shop
    < y
    ! Roll back stack shop/production (commit d8b847d -> e5e13e8 of deployment 1040)? [y/N]
    ! undo: stackops deployment rollback 1041 -s shop
    deployment 1042 succeeded after 4s: commit e5e13e8
    Previously live: deployment 1041, commit d8b847d
    $ stackops deployment rollback 1041 -s shop -y
    ! 12:00:05 deployment 1043: queued
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1042 -s shop
    deployment 1043 succeeded after 4s: commit d8b847d
    Previously live: deployment 1042, commit e5e13e8
    $ stackops deployment rollback -s shop --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments
    Content-Type: application/json

    {"git_ref":"e5e13e864e6ce09cec5ac5297cba185f878dbd77","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    $ stackops deployment list -s shop --limit 3 --columns id,git_hash,is_live
    1043⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥yes
    1042⇥e5e13e864e6ce09cec5ac5297cba185f878dbd77⇥no
    1041⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥no
  `));

test('what is live already is left alone, unless something else is on its way', () =>
  transcript(`
    $ stackops deployment rollback 1041 -s shop
    deployment 1041 unchanged (already live, commit d8b847d)
    $ stackops deployment rollback 1041 -s shop --json --fields id,change,before.id,after.is_live
    {"id":1041,"change":"unchanged","before":{"id":1041},"after":{"is_live":true}}
    $ stackops deployment list -s shop --limit 1 -q
    1041
    $ stackops redeploy -s shop -y -q
    $ stackops deployment rollback 1041 -s shop -y -q --detach
    $ stackops deployment list -s shop --limit 1 --columns id,git_hash
    1043⇥d8b847daf0a06d549f0919d2c59a146e283b8b78
  `));

test('without waiting it can be cancelled, and it may take too long', () =>
  transcript(`
    $ stackops deployment rollback 1037 -s shop -y --detach
    ! undo: stackops deployment cancel 1042 -s shop
    deployment 1042 queued: Stack shop queued for redeployment
    $ stackops deployment rollback 1042 -s shop -y
    ! error: cannot roll back to deployment 1042: it has not finished; nothing was sent
    ! hint: stackops deployment list -s shop
    = 6
    80$ stackops deployment rollback 1040 -s shop
    < n
    ! Roll back stack shop/production (commit d8b847d -> e5e13e8 of deployment 1040, deployment 1042 is pending)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops deployment rollback 1040 -s shop -y --wait-timeout 2s --json --fields id,after.outcome.meaning,before
    ! {"error":{"code":"pending","message":"deployment 1043 has not finished after 2s (queued); it continues","status":null,"hint":"stackops deployment wait 1043 -s shop","exit_code":8,"operation":null,"request_id":null}}
    {"id":1043,"after":{"outcome":{"meaning":"pending"}},"before":{"id":1041,"git_hash":"d8b847daf0a06d549f0919d2c59a146e283b8b78"}}
    = 8
  `));

test('where there is nothing to go back to, nothing is sent', () =>
  transcript(`
    $ stackops deployment rollback 1039 -s shop -y
    ! error: cannot roll back to deployment 1039: it did not succeed (failed); nothing was sent
    ! hint: stackops deployment list -s shop
    = 6
    $ stackops deployment rollback 7 -s shop -y
    ! error: deployment 7 not found in shop/production
    ! hint: stackops deployment list -s shop
    = 3
    $ stackops deployment rollback -s blog/production -y
    ! error: no deployment before 1033 succeeded with another commit (searched the newest 1); nothing was sent
    ! hint: stackops deployment list -s blog/production
    = 6
    $ stackops redeploy -s blog/staging -y -q --wait
    $ stackops deployment rollback -s blog/staging -y
    ! error: the service refused the request (400): git_ref is for stacks without containers
    ! hint: to roll back a container stack, deploy earlier image tags with stackops redeploy --services
    = 6
  `));
