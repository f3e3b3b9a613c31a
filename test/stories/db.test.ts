import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('databases are listed', () =>
  transcript(`
    80$ stackops db list -s shop
    UID    NAME         SIZE BYTES  USERS           CHARSET  CREATED AT
    db5a2  shop_events   775.0 MiB  app, analytics  UTF8     10 months ago
    db5a1  shop_prod       4.2 GiB  app             UTF8     2 years ago
    $ stackops db list -s shop
    db5a2⇥shop_events⇥812646400⇥app, analytics⇥UTF8⇥2025-06-18T13:00:00Z
    db5a1⇥shop_prod⇥4509715660⇥app⇥UTF8⇥2024-02-06T08:20:00Z
    $ stackops db list -s shop --json --fields name,users
    [{"name":"shop_prod","users":["app"]},{"name":"shop_events","users":["app","analytics"]}]
    $ stackops db list -s blog/production
    ! No databases.
  `));

test('a created database appears when its action has finished', () =>
  transcript(`
    $ stackops db create reports -s shop --user du7c3
    Queued database_create of database reports as action 812.
    $ stackops db list -s shop --columns name
    shop_events
    shop_prod
    $ stackops action get 812 -s shop --json --fields status,finished_success
    {"status":"queued","finished_success":null}
    +3s
    $ stackops db list -s shop --columns name,users
    reports⇥analytics
    shop_events⇥app, analytics
    shop_prod⇥app
    $ stackops action get 812 -s shop --json --fields status,finished_success,finished_message
    {"status":"finished","finished_success":true,"finished_message":"Database reports created."}
    $ stackops db create reports -s shop
    ! error: the service refused the request (400): invalid database name: "reports" exists already
    = 6
    $ stackops db create 'bad name' -s shop
    ! error: the service refused the request (400): invalid database name: "bad name" must be 1 to 63 letters, digits or underscores, no digit first
    = 6
    $ stackops db create other -s shop --user du000
    ! error: not found: /stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/server_groups/21/databases (404): there is no database user "du000"
    = 3
  `));

test('a database is deleted by its typed name only', () =>
  transcript(`
    80$ stackops db delete db5a1 -s shop
    < shop
    ! Delete database shop_prod (of shop/production, 4.2 GiB, 1 user)? Type shop_prod to go ahead:
    ! error: the typed name "shop" is not "shop_prod"; nothing was changed
    = 2
    80$ stackops db delete db5a1 -s shop
    <
    ! Delete database shop_prod (of shop/production, 4.2 GiB, 1 user)? Type shop_prod to go ahead:
    ! error: no name was typed; nothing was changed
    = 1
    $ stackops db delete db5a1 -s shop
    ! error: Delete database shop_prod (of shop/production, 4.2 GiB, 1 user) needs a confirmation, and there is no terminal to ask on; nothing was changed
    ! hint: stackops db delete db5a1 -s shop --confirm shop_prod
    = 2
    $ stackops db delete db5a1 -s shop -y
    ! error: Delete database shop_prod (of shop/production, 4.2 GiB, 1 user) needs a confirmation, and there is no terminal to ask on; nothing was changed
    ! hint: stackops db delete db5a1 -s shop -y --confirm shop_prod
    = 2
    $ stackops db delete db5a1 -s shop --confirm db5a1
    ! error: the typed name "db5a1" is not "shop_prod"; nothing was changed
    = 2
    $ stackops db delete db000 -s shop --confirm shop_prod
    ! error: no database is called "db000"
    ! hint: stackops db list -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 -g 21
    = 3
    $ stackops db list -s shop -q
    db5a2
    db5a1
    80$ stackops db delete db5a1 -s shop
    < shop_prod
    ! Delete database shop_prod (of shop/production, 4.2 GiB, 1 user)? Type shop_prod to go ahead:
    Queued database_delete of database db5a1 as action 812.
    $ stackops db delete db5a2 -s shop --confirm shop_events --json --fields id,status,action_type
    {"id":813,"status":"queued","action_type":"database_delete"}
    +3s
    $ stackops db list -s shop
    ! No databases.
  `));

test('a database answers to its exact name', () =>
  transcript(`
    $ stackops db delete shop_events -s shop --confirm shop_events --json --fields action_type,resource_id
    {"action_type":"database_delete","resource_id":"db5a2"}
    $ stackops db delete shop_prd -s shop --confirm shop_prd
    ! error: no database is called "shop_prd"; did you mean "shop_prod"?
    ! hint: stackops db list -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 -g 21
    = 3
  `));
