import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('users are listed, their passwords when they are asked for', () =>
  transcript(`
    80$ stackops db user list -s shop
    USERNAME   TYPE         DATABASES               CREATED   UID
    app        application  shop_prod, shop_events  2y ago    du7c2
    analytics  readonly     shop_events             319d ago  du7c3
    100$ stackops db user list -s shop --reveal
    ! passwords are included only with --show-password
    USERNAME   TYPE         DATABASES               CREATED   UID
    app        application  shop_prod, shop_events  2y ago    du7c2
    analytics  readonly     shop_events             319d ago  du7c3
    100$ stackops db user list -s shop --show-password
    USERNAME   PASSWORD  TYPE         DATABASES               CREATED   UID
    app        ***       application  shop_prod, shop_events  2y ago    du7c2
    analytics  ***       readonly     shop_events             319d ago  du7c3
    120$ stackops db user list -s shop --show-password --reveal
    USERNAME   PASSWORD                    TYPE         DATABASES               CREATED   UID
    app        sandbox-app-password        application  shop_prod, shop_events  2y ago    du7c2
    analytics  sandbox-analytics-password  readonly     shop_events             319d ago  du7c3
    $ stackops db user list -s shop --show-password --json --fields username,password
    [{"username":"app","password":"sandbox-app-password"},{"username":"analytics","password":"sandbox-analytics-password"}]
  `));

test('a user is made when its action has finished', () =>
  transcript(`
    $ stackops db user create reporting -s shop --type readonly --database db5a1 --database db5a2
    ! undo: stackops action wait 812 -s shop && stackops db user delete reporting -s shop -g 21
    ! read its password: stackops action wait 812 -s shop && stackops db user list --show-password --reveal -s shop -g 21
    creating database user reporting (action 812, queued)
    +3s
    $ stackops db user list -s shop --columns username,user_type,databases
    app⇥application⇥shop_prod, shop_events
    analytics⇥readonly⇥shop_events
    reporting⇥readonly⇥shop_prod, shop_events
    $ stackops db user create other -s shop --type root
    ! error: the service refused the request (400): invalid user type: "root" must be one of application, readonly
    = 6
    $ stackops db user create -s shop
    ! error: missing argument <name>
    ! hint: stackops db user create --help
    = 2
  `));

test('a password is replaced by the typed name of its user', () =>
  transcript(`
    80$ stackops db user regenerate-password du7c2 -s shop
    < postgres
    ! Replace the password of database user app (of shop/production, application, uses shop_prod and shop_events)? Type app to confirm:
    ! error: the name to type is app, not "postgres"; nothing was changed
    = 2
    $ stackops db user regenerate-password du7c2 -s shop
    ! error: "db user regenerate-password" needs --confirm app (no terminal); nothing was changed
    ! hint: stackops db user regenerate-password du7c2 -s shop --confirm app
    = 2
    $ stackops db user regenerate-password du7c2 -s shop --confirm analytics
    ! error: --confirm must be app, not "analytics"; nothing was changed
    = 2
    $ stackops db user regenerate-password du7c2 -s shop --confirm app
    ! read its password: stackops action wait 812 -s shop && stackops db user list --show-password --reveal -s shop -g 21
    changing the password of database user app (action 812, queued): du7c2, application, uses shop_prod and shop_events
    +3s
    $ stackops db user list -s shop --show-password --json --fields username,password
    [{"username":"app","password":"564b03759f88b3463ca72485"},{"username":"analytics","password":"sandbox-analytics-password"}]
  `));

test('a user is deleted by the typed name', () =>
  transcript(`
    $ stackops db user delete du7c3 -s shop -y
    ! error: "db user delete" needs --confirm analytics (no terminal); nothing was changed
    ! hint: stackops db user delete du7c3 -s shop -y --confirm analytics
    = 2
    $ stackops db user delete du7c3 -s shop --confirm app
    ! error: --confirm must be analytics, not "app"; nothing was changed
    = 2
    $ stackops db user delete du000 -s shop --confirm app --sandbox
    ! error: database user "du000" not found
    ! hint: stackops db user list -s shop -g 21 --sandbox
    = 3
    80$ stackops db user delete du7c3 -s shop
    < analytics
    ! Delete database user analytics (of shop/production, readonly, uses shop_events)? Type analytics to confirm:
    deleting database user analytics (action 812, queued): du7c3, readonly, uses shop_events
    +3s
    $ stackops db user list -s shop -q
    du7c2
  `));

test('a database user answers to its exact name', () =>
  transcript(`
    $ stackops db user regenerate-password app -s shop --confirm app
    ! read its password: stackops action wait 812 -s shop && stackops db user list --show-password --reveal -s shop -g 21
    changing the password of database user app (action 812, queued): du7c2, application, uses shop_prod and shop_events
    $ stackops db user delete analytics -s shop --confirm analytics --dry-run
    DELETE http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/server_groups/21/database_users/du7c3
  `));

test('with --wait and --reveal the new password is read and shown; without, the command that shows it is', () =>
  transcript(`
    $ stackops db user create reporting -s shop --wait --reveal -q
    $ stackops db user regenerate-password reporting -s shop --confirm reporting --wait --reveal
    ! 12:00:05 action 813: queued
    ! 12:00:10 action 813: succeeded: Password of reporting changed.
    database user reporting password changed (du6ee750, application, uses no database)
    Password: d77338cf4aec580bc6ffc307
    $ stackops db user regenerate-password reporting -s shop --confirm reporting --wait --reveal --json --fields change,before.password,after,message
    {"change":"password_changed","before":{"password":null},"after":{"uid":"du6ee750","username":"reporting","databases":[],"user_type":"application","created_at":"2026-05-04T12:00:03Z","password":"c2e90257c0737b106a68daf4"},"message":"Password of reporting changed."}
    $ stackops db user regenerate-password reporting -s shop --confirm reporting --wait --json --fields change,before,after
    {"change":"password_changed","before":{"uid":"du6ee750","username":"reporting","databases":[],"user_type":"application","created_at":"2026-05-04T12:00:03Z"},"after":{"uid":"du6ee750","username":"reporting","databases":[],"user_type":"application","created_at":"2026-05-04T12:00:03Z"}}
    $ stackops db user create auditing -s shop --wait --reveal --json --fields uid,username,change,after.password
    {"uid":"du5b396a","username":"auditing","change":"created","after":{"password":"6fc0832f5b86f12e274fee5a"}}
  `));

test('where the service shows no password, that is said', async () => {
  const place = '/stacks/5f3c0000000000000000000000000001/server_groups/21/database_users';
  const service = await startService(({ method, path }, response) => {
    if (method === 'POST') return reply(response, { response: { id: 7, started_via: 'api', finished_at: null } });
    if (path === place)
      return reply(response, { response: [{ uid: 'du1', username: 'app', user_type: 'application' }] });
    reply(response, {
      response: { id: 7, started_via: 'api', finished_at: '2026-05-04T12:00:01Z', finished_success: true },
    });
  });
  onTestFinished(() => service.close());
  const words =
    'db user regenerate-password app -s 5f3c0000000000000000000000000001 -g 21 --confirm app --wait --reveal';
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'token' };
  expect((await run(words.split(' '), { env })).stderr).toContain('warning: the service shows no password for app\n');
});
