import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('deployments are listed, the newest first', () =>
  transcript(`
    80$ stackops deployment list -s shop
      ID  OUTCOME  STARTED  COMMIT                        TRIGGERED BY          LIVE
    1041  success  20d ago  d8b847daf0a06d549f0919d2c59…  mara@harbour.example  yes
    1040  success  31d ago  e5e13e864e6ce09cec5ac5297cb…  iven@harbour.example  no
    1039  failed   31d ago  324575391e91b56a4f8d47b5354…  iven@harbour.example  no
    1038  success  41d ago  aaf3969c9269f02896f68c249ae…  iven@harbour.example  no
    1037  success  47d ago  ab54bad463c90bd4d94569235ef…  mara@harbour.example  no
    $ stackops deployment list -s shop --columns id,outcome,finished_at --header
    ID⇥OUTCOME⇥FINISHED AT
    1041⇥success⇥2026-04-14T09:34:10Z
    1040⇥success⇥2026-04-02T16:29:18Z
    1039⇥failed⇥2026-04-02T16:11:29Z
    1038⇥success⇥2026-03-24T08:45:03Z
    1037⇥success⇥2026-03-17T14:06:12Z
    $ stackops deployment list -s shop --json --fields id,outcome.meaning --limit 2
    [{"id":1041,"outcome":{"meaning":"success"}},{"id":1040,"outcome":{"meaning":"success"}}]
    $ stackops deployment list -s shop --sort started_at --limit 1 -q
    1037
  `));

test('one deployment is shown', () =>
  transcript(`
    80$ stackops deployment get 1039 -s shop
    ID:             1039
    Outcome:        failed
    Started:        31d ago (2026-04-02T16:10:00Z)
    Finished:       31d ago (2026-04-02T16:11:29Z)
    Commit:         324575391e91b56a4f8d47b5354d126c8578c095
    Triggered by:   iven@harbour.example
    Triggered via:  web
    Deploy type:    build
    Live:           no
    Head:           no
    Deploying:      no
    Session:        6bf03e8737dd
    Reverted:       -
    Reverted by:    -
    Reverted at:    -
    Commit URL:     https://git.example/harbour/shop/commit/324575391e91b56a4f8d47b5354d126c8578c095
    $ stackops deployment get 9 -s shop
    ! error: deployment 9 not found in shop/production
    ! hint: stackops deployment list -s shop
    = 3
    $ stackops deployment get latest -s shop
    ID:⇥1041
    Outcome:⇥success
    Started:⇥2026-04-14T09:30:00Z
    Finished:⇥2026-04-14T09:34:10Z
    Commit:⇥d8b847daf0a06d549f0919d2c59a146e283b8b78
    Triggered by:⇥mara@harbour.example
    Triggered via:⇥web
    Deploy type:⇥build
    Live:⇥yes
    Head:⇥yes
    Deploying:⇥no
    Session:⇥6bef5a43375c
    Reverted:⇥-
    Reverted by:⇥-
    Reverted at:⇥-
    Commit URL:⇥https://git.example/harbour/shop/commit/d8b847daf0a06d549f0919d2c59a146e283b8b78
    $ stackops deployment get -s shop
    ! error: missing argument <deployment>
    ! hint: stackops deployment get --help
    = 2
  `));

test('a deployment is made, watched and cancelled', () =>
  transcript(`
    $ stackops deployment create -s shop -y --git-ref main --user-reference ci-4711
    ! undo: stackops deployment cancel 1042 -s shop
    deployment 1042 queued: Stack shop queued for redeployment
    $ stackops deployment list -s shop --columns id,outcome,is_deploying --limit 1
    1042⇥pending⇥no
    +2s
    $ stackops deployment list -s shop --columns id,outcome,is_deploying --limit 1
    1042⇥pending⇥yes
    +4s
    $ stackops deployment list -s shop --columns id,outcome,is_live --limit 1
    1042⇥success⇥yes
    $ stackops deployment create -s shop -y --json
    {"id":1043,"change":"queued","before":{"id":1042,"git_hash":"2b88259fe165c88e874309fe4b661a092dd37801"},"after":{"id":1043,"message":"Stack shop queued for redeployment","queued":true},"action":null,"message":"Stack shop queued for redeployment","error":null}
    80$ stackops deployment cancel 1043 -s shop
    < no
    ! Cancel deployment 1043 (of shop/production, pending, commit 967009b, by ada@harbour.example)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops deployment cancel 1043 -s shop
    < y
    ! Cancel deployment 1043 (of shop/production, pending, commit 967009b, by ada@harbour.example)? [y/N]
    deployment 1043 cancelled (pending -> cancelled)
    $ stackops deployment get 1043 -s shop --json --fields id,outcome.meaning
    {"id":1043,"outcome":{"meaning":"cancelled"}}
    $ stackops deployment list -s shop --where outcome=cancelled --fields id
    1043
    $ stackops deployment cancel 1043 -s shop -y
    ! error: deployment 1043 has already finished (cancelled); nothing was cancelled
    = 6
    80$ stackops deployment cancel 7 -s shop
    ! error: deployment 7 not found in shop/production
    ! hint: stackops deployment list -s shop
    = 3
  `));

test('several are cancelled after one question, once all of them are known to be under way', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y -q
    $ stackops deployment cancel 1042 1041 1039 -s shop -y
    ! error: deployment 1041 has already finished (success), deployment 1039 has already finished (failed); nothing was cancelled
    = 6
    80$ stackops deployment cancel 1042 7 -s shop
    ! error: deployment 7 not found in shop/production
    ! hint: stackops deployment list -s shop
    = 3
    $ stackops deployment list -s shop --limit 2 --columns id,outcome
    1043⇥pending
    1042⇥pending
    80$ stackops deployment cancel 1042 1043 1042 -s shop
    < y
    ! Cancel deployment 1042, 1043 (of shop/production; 1042: pending, commit d9a2ece, by ada@harbour.example; 1043: pending, commit 967009b, by ada@harbour.example)? [y/N]
    deployment 1042 cancelled (pending -> cancelled)
    deployment 1043 cancelled (pending -> cancelled)
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s shop -y -q
    $ stackops deployment cancel 1044 1045 -s shop -y --wait --json
    [{"id":1044,"change":"cancelled","before":"pending","after":"cancelled","action":null,"message":"Deployment 1044 cancelled","error":null},{"id":1045,"change":"cancelled","before":"pending","after":"cancelled","action":null,"message":"Deployment 1045 cancelled","error":null}]
    $ stackops deployment cancel -s shop
    ! error: missing argument <deployment...>
    ! hint: stackops deployment cancel --help
    = 2
  `));

test('a deployment asks with live facts', () =>
  transcript(`
    80$ stackops deployment create -s shop
    < n
    ! Deploy stack shop/production (from main, live: commit d8b847d since 2026-04-14T09:34:10Z)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops redeploy -s blog/staging --services web:v2,worker:v2
    < y
    ! Deploy stack blog/staging (from develop, only web:v2,worker:v2, live: commit 2ad3480 since 2026-04-10T12:02:40Z)? [y/N]
    ! undo: stackops deployment cancel 1042 -s blog/staging
    deployment 1042 queued: Stack blog queued for redeployment
    80$ stackops redeploy -s blog/staging
    < n
    ! Deploy stack blog/staging (from develop, live: commit 2ad3480 since 2026-04-10T12:02:40Z, deployment 1042 is pending)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops redeploy -s shop -y --confirm blog/staging
    ! error: --confirm must be shop/production, not "blog/staging"; nothing was changed
    = 2
    $ stackops redeploy -s shop --git-ref main
    ! error: "redeploy" needs -y (no terminal); nothing was changed
    ! hint: stackops redeploy --git-ref main -s shop -y
    = 2
  `));

test('redeploy is deployment create', () =>
  transcript(`
    $ stackops redeploy -s shop -y
    ! undo: stackops deployment cancel 1042 -s shop
    deployment 1042 queued: Stack shop queued for redeployment
    $ stackops redeploy -s shop -y -q
    $ stackops action list -s shop --limit 1 --json --fields metadata
    [{"metadata":{"user_reference":"stackops-00000000-0000-4000-8000-000000000001"}}]
    $ stackops redeploy -s shop --git-ref main --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments
    Content-Type: application/json

    {"git_ref":"main","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    $ stackops redeploy -s shop --user-reference ci-4711 --dry-run --json
    {"dry_run":true,"method":"POST","url":"http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments","body":{"user_reference":"ci-4711"}}
    $ stackops redeploy now -s shop
    ! error: unexpected argument "now"
    ! hint: stackops redeploy --help
    = 2
  `));

test('a refusal is shown with the message of the service', () =>
  transcript(`
    $ stackops deployment create -s shop --services web:v2 -y
    ! error: the service refused the request (400): services is for container stacks
    = 6
    $ stackops redeploy -s blog/staging --git-ref main -y
    ! error: the service refused the request (400): git_ref is for stacks without containers
    = 6
  `));
