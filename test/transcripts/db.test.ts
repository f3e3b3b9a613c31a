import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('databases are listed', () =>
  transcript(`
    80$ stackops db list -s shop
    NAME              SIZE  USERS           CHARSET  CREATED   UID
    shop_prod      4.2 GiB  app             UTF8     2y ago    db5a1
    shop_events  775.0 MiB  app, analytics  UTF8     319d ago  db5a2
    $ stackops db list -s shop --header
    NAME⇥SIZE BYTES⇥USERS⇥CHARSET⇥CREATED AT⇥UID
    shop_prod⇥4509715660⇥app⇥UTF8⇥2024-02-06T08:20:00Z⇥db5a1
    shop_events⇥812646400⇥app, analytics⇥UTF8⇥2025-06-18T13:00:00Z⇥db5a2
    $ stackops db list -s shop --json --fields name,users
    [{"name":"shop_prod","users":["app"]},{"name":"shop_events","users":["app","analytics"]}]
    $ stackops db list -s blog/production
    ! No databases.
  `));

test('a created database appears when its action has finished', () =>
  transcript(`
    $ stackops db create reports -s shop --user du7c3
    ! undo: stackops action wait 812 -s shop && stackops db delete reports -s shop -g 21
    creating database reports (action 812, queued)
    $ stackops db list -s shop --columns name
    shop_prod
    shop_events
    $ stackops action get 812 -s shop --json --fields status,finished_success
    {"status":"queued","finished_success":null}
    +3s
    $ stackops db list -s shop --columns name,users
    shop_prod⇥app
    shop_events⇥app, analytics
    reports⇥analytics
    $ stackops action get 812 -s shop --json --fields status,finished_success,finished_message
    {"status":"finished","finished_success":true,"finished_message":"Database reports created."}
    $ stackops db create reports -s shop
    ! error: database "reports" exists already; nothing was sent
    ! hint: stackops db list -s shop -g 21
    = 6
    $ stackops db create 'bad name' -s shop
    ! error: the service refused the request (400): invalid database name: "bad name" must be 1 to 63 letters, digits or underscores, no digit first
    = 6
    $ stackops db create other -s shop --user du000
    ! error: database user "du000" not found
    ! hint: stackops db user list -s shop -g 21
    = 3
  `));

test('a database is deleted by its typed name only', () =>
  transcript(`
    80$ stackops db delete db5a1 -s shop
    < shop
    ! Delete database shop_prod (of shop/production, 4.2 GiB, 1 user)? Type shop_prod to confirm:
    ! error: the name to type is shop_prod, not "shop"; nothing was changed
    = 2
    80$ stackops db delete db5a1 -s shop
    <
    ! Delete database shop_prod (of shop/production, 4.2 GiB, 1 user)? Type shop_prod to confirm:
    ! error: cancelled; nothing was changed
    = 1
    $ stackops db delete db5a1 -s shop
    ! error: "db delete" needs --confirm shop_prod (no terminal); nothing was changed
    ! hint: stackops db delete db5a1 -s shop --confirm shop_prod
    = 2
    $ stackops db delete db5a1 -s shop -y
    ! error: "db delete" needs --confirm shop_prod (no terminal); nothing was changed
    ! hint: stackops db delete db5a1 -s shop -y --confirm shop_prod
    = 2
    $ stackops db delete db5a1 -s shop --confirm db5a1
    ! error: --confirm must be shop_prod, not "db5a1"; nothing was changed
    = 2
    $ stackops db delete db000 -s shop --confirm shop_prod
    ! error: database "db000" not found
    ! hint: stackops db list -s shop -g 21
    = 3
    $ stackops db list -s shop -q
    db5a1
    db5a2
    80$ stackops db delete db5a1 -s shop
    < shop_prod
    ! Delete database shop_prod (of shop/production, 4.2 GiB, 1 user)? Type shop_prod to confirm:
    deleting database shop_prod (action 812, queued): db5a1, 4.2 GiB, 1 user
    $ stackops db delete db5a2 -s shop --confirm shop_events --json --fields uid,change,after,action.id,action.action_type
    {"uid":"db5a2","change":"queued","after":null,"action":{"id":813,"action_type":"database_delete"}}
    +3s
    $ stackops db list -s shop
    ! No databases.
  `));

test('a database answers to its exact name', () =>
  transcript(`
    $ stackops db delete shop_events -s shop --confirm shop_events --json --fields change,action.action_type,action.resource_id
    {"change":"queued","action":{"action_type":"database_delete","resource_id":"db5a2"}}
    $ stackops db delete shop_prd -s shop --confirm shop_prd
    ! error: database "shop_prd" not found; did you mean "shop_prod"?
    ! hint: stackops db list -s shop -g 21
    = 3
  `));

test('with --wait the record holds the UID, and what was deleted', () =>
  transcript(`
    $ stackops db create reports -s shop --wait
    ! 12:00:00 action 812: queued
    ! 12:00:05 action 812: succeeded: Database reports created.
    ! undo: stackops db delete reports -s shop -g 21
    database reports created (dbaf26c2, 8.0 KiB, 0 users)
    $ stackops db create ledger -s shop --wait --json --fields uid,name,change,before,after.name,after.uid,action.id,action.finished_success,message,error
    {"uid":"dbe6d9a2","name":"ledger","change":"created","before":null,"after":{"name":"ledger","uid":"dbe6d9a2"},"action":{"id":813,"finished_success":true},"message":"Database ledger created.","error":null}
    $ stackops db create third -s shop --wait --wait-timeout 1s --json --fields uid,name,change,action.id,action.status,error
    ! {"error":{"code":"pending","message":"action 814 has not finished after 1s (started); it continues","status":null,"hint":"stackops action wait 814 -s shop","exit_code":8,"operation":null,"request_id":null}}
    {"uid":null,"name":"third","change":"queued","action":{"id":814,"status":"started"},"error":{"code":"pending","message":"action 814 has not finished after 1s (started); it continues"}}
    = 8
    $ stackops db delete reports -s shop --confirm reports --wait
    ! 12:00:11 action 815: queued
    ! 12:00:16 action 815: succeeded: Database reports deleted.
    database reports deleted (dbaf26c2, 8.0 KiB, 0 users)
    $ stackops db user create reporting -s shop --wait
    ! 12:00:16 action 816: queued
    ! 12:00:21 action 816: succeeded: Database user reporting created.
    ! undo: stackops db user delete reporting -s shop -g 21
    ! read its password: stackops db user list --show-password --reveal -s shop -g 21
    database user reporting created (du19e42f, application, uses no database)
    $ stackops db user regenerate-password reporting -s shop --confirm reporting --wait
    ! 12:00:21 action 817: queued
    ! 12:00:26 action 817: succeeded: Password of reporting changed.
    ! read its password: stackops db user list --show-password --reveal -s shop -g 21
    database user reporting password changed (du19e42f, application, uses no database)
    $ stackops db user delete reporting -s shop --confirm reporting --wait --json --fields uid,change,before,after,action.finished_message,message
    {"uid":"du19e42f","change":"deleted","before":{"uid":"du19e42f","username":"reporting","databases":[],"user_type":"application","created_at":"2026-05-04T12:00:19Z"},"after":null,"action":{"finished_message":"Database user reporting deleted."},"message":"Database user reporting deleted."}
  `));

test('a name that is taken is not sent', () =>
  transcript(`
    $ stackops db create shop_prod -s shop
    ! error: database "shop_prod" exists already; nothing was sent
    ! hint: stackops db list -s shop -g 21
    = 6
    $ STACKOPS_RECONCILE=off stackops db create shop_prod -s shop
    ! error: the service refused the request (400): invalid database name: "shop_prod" already exists
    = 6
    $ stackops db user create app -s shop --json
    ! {"error":{"code":"rejected","message":"database user \\"app\\" exists already; nothing was sent","status":null,"hint":"stackops db user list -s shop -g 21","exit_code":6,"operation":null,"request_id":null}}
    = 6
  `));

test('databases and their users are given by UID or by name', () =>
  transcript(`
    $ stackops db user create reporting --database shop_prod -s shop --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/server_groups/21/database_users
    Content-Type: application/json

    {"username":"reporting","database_ids":["db5a1"],"user_type":"application"}
    $ stackops db create reports --user app,du7c3 -s shop --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/server_groups/21/databases
    Content-Type: application/json

    {"database_name":"reports","database_user_ids":["du7c2","du7c3"]}
    $ stackops db user create reporting --database shop_prd -s shop
    ! error: database "shop_prd" not found; did you mean "shop_prod"?
    ! hint: stackops db list -s shop -g 21
    = 3
  `));

test('where no user is listed, what was typed is sent', () =>
  transcript(`
    $ stackops db create reports --user du9 -s blog/production --dry-run
    POST http://sandbox.localhost/api/3/stacks/b92c7d1e5f30584a9d6e7f8091a2b3c4/server_groups/41/databases
    Content-Type: application/json

    {"database_name":"reports","database_user_ids":["du9"]}
  `));
