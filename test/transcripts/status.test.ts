import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { cellWidth } from '../../src/output/table/cell-width.ts';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('one stack on one screen, and as lines in a pipe', () =>
  transcript(`
    80$ stackops status -s shop
    Stack        shop/production  deployed
    Live         deployment 1041, commit d8b847d, 20d ago, by mara@harbour.example
    Deployments  + + x + +  4 success, 1 failed
    Variants     active   [##########]  100 %  commit d8b847d
                 canary   [#.........]   10 %  commit 9d4e1f7
                 preview  [..........]    0 %  commit 1c2d3e4
    Servers      shop-web-2     impaired  web
                 shop-web-1     healthy   web
                 shop-db-1      healthy   postgresql, redis
                 shop-worker-1  healthy   worker
    Processes    web        4  even    2 on shop-web-1, 2 on shop-web-2
                 worker     4  uneven  1 on shop-web-1, 3 on shop-worker-1
                 scheduler  1  even    1 on shop-worker-1
    Backups      shop_prod    postgresql  ok     9h ago  400.0 KiB
                 shop_cache   redis       ok     9h ago  40.0 KiB
                 shop_events  postgresql  stale  2d ago  2.5 MiB
    Pending      none
    60$ stackops status -s shop --backup-age 30d
    Stack        shop/production  deployed
    Live         deployment 1041, commit d8b847d, 20d ago, by
                 mara@harbour.example
    Deployments  + + x + +  4 success, 1 failed
    Variants     active   [##########]  100 %  commit d8b847d
                 canary   [#.........]   10 %  commit 9d4e1f7
                 preview  [..........]    0 %  commit 1c2d3e4
    Servers      shop-web-2     impaired  web
                 shop-web-1     healthy   web
                 shop-db-1      healthy   postgresql, redis
                 shop-worker-1  healthy   worker
    Processes    web        4  even    2 on shop-web-1, 2 on sh…
                 worker     4  uneven  1 on shop-web-1, 3 on sh…
                 scheduler  1  even    1 on shop-worker-1
    Backups      shop_prod    postgresql  ok  9h ago  400.0 KiB
                 shop_cache   redis       ok  9h ago  40.0 KiB
                 shop_events  postgresql  ok  2d ago  2.5 MiB
    Pending      none
    $ stackops status -s shop
    stack⇥shop/production⇥deployed⇥-
    deployment⇥1041⇥live⇥2026-04-14T09:30:00Z
    deployment⇥1040⇥success⇥2026-04-02T16:25:00Z
    deployment⇥1039⇥failed⇥2026-04-02T16:10:00Z
    deployment⇥1038⇥success⇥2026-03-24T08:41:00Z
    deployment⇥1037⇥success⇥2026-03-17T14:02:00Z
    variants⇥va-active⇥active 100 %⇥2026-04-14T09:34:10Z
    variants⇥va-canary⇥canary 10 %⇥2026-04-15T07:50:00Z
    variants⇥va-preview⇥preview 0 %⇥2026-04-15T12:05:00Z
    servers⇥shop-web-2⇥impaired⇥-
    servers⇥shop-web-1⇥healthy⇥-
    servers⇥shop-db-1⇥healthy⇥-
    servers⇥shop-worker-1⇥healthy⇥-
    processes⇥web⇥4⇥-
    processes⇥worker⇥4 uneven⇥-
    processes⇥scheduler⇥1⇥-
    backups⇥postgresql shop_prod⇥ok⇥2026-05-04T03:00:00Z
    backups⇥redis shop_cache⇥ok⇥2026-05-04T02:50:00Z
    backups⇥postgresql shop_events⇥stale⇥2026-05-02T03:20:00Z
    80$ stackops status -s shop --only servers --fields name,state
    NAME             STATE
    shop/production  deployed
    shop-web-2       impaired
    shop-web-1       healthy
    shop-db-1        healthy
    shop-worker-1    healthy
    80$ stackops status -s shop --where state=impaired
    ! 1 of 19 status lines.
    SECTION  NAME        STATE     SINCE
    servers  shop-web-2  impaired  -
    80$ stackops status -s shop --sort -name --limit 2
    ! 2 of 19 status lines.
    SECTION    NAME    STATE     SINCE
    processes  worker  4 uneven  -
    processes  web     4         -
    $ stackops status -s shop --only servers -q
    shop/production
    shop-web-2
    shop-web-1
    shop-db-1
    shop-worker-1
    $ stackops status -s blog/staging --only deployment,variants,backups --output table
    Stack        blog/staging  deployment failed
    Live         deployment 1035, commit 2ad3480, 23d ago, by mara@harbour.example
    Deployments  + x  1 failed, 1 success
    Variants     active      [##########]  100 %  commit 2ad3480
                 blue_green  [..........]    0 %  commit 2ad3480
    Backups      none
  `));

test('what is in progress, and what was changed since the live deployment began', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL updated (info -> debug)
    Running code may see this only after the next deployment.
    +60s
    $ stackops redeploy --git-ref slow -s shop -y
    ! undo: stackops deployment cancel 1042 -s shop
    deployment 1042 queued: Stack shop queued for redeployment
    $ stackops process scale web=3 -s shop
    ! undo: stackops action wait 813 -s shop && stackops process scale web=2 -s shop
    updating process web (action 813, queued): 2 -> 3 on shop-web-1, 2 -> 3 on shop-web-2
    +2s
    80$ stackops status -s shop --only deployment,pending
    Stack        shop/production  deploying  busy
    Live         deployment 1041, commit d8b847d, 20d ago, by mara@harbour.example
    Running      deployment 1042  deploying  for 1s
    Deployments  + + x + + >  1 deploying, 4 success, 1 failed
    Pending      LOG_LEVEL  changed  1m ago
    Actions      813 Process_scale  running  for 2s
                 812 deploy         running  for 1s
    $ stackops status -s shop --only deployment,pending
    stack⇥shop/production⇥deploying⇥-
    deployment⇥1042⇥deploying⇥2026-05-04T12:01:01Z
    deployment⇥1041⇥live⇥2026-04-14T09:30:00Z
    deployment⇥1040⇥success⇥2026-04-02T16:25:00Z
    deployment⇥1039⇥failed⇥2026-04-02T16:10:00Z
    deployment⇥1038⇥success⇥2026-03-24T08:41:00Z
    deployment⇥1037⇥success⇥2026-03-17T14:02:00Z
    pending⇥LOG_LEVEL⇥changed⇥2026-05-04T12:00:00Z
    actions⇥813 Process_scale⇥running⇥2026-05-04T12:01:00Z
    actions⇥812 deploy⇥running⇥2026-05-04T12:01:01Z
    +90s
    80$ stackops status -s shop --only deployment
    Stack        shop/production  deploying  busy
    Live         deployment 1041, commit d8b847d, 20d ago, by mara@harbour.example
    Running      deployment 1042  deploying  for 1m
    Deployments  + + x + + >  1 deploying, 4 success, 1 failed
    Actions      812 deploy  running  for 1m
  `));

test('all stacks', () =>
  transcript(`
    100$ stackops status
    ! not checked: backups
    NAME  ENVIRONMENT  STATE              COMMIT   SINCE    PROBLEMS
    shop  production   deployed           d8b847d  20d ago  server shop-web-2 is impaired
    blog  staging      deployment failed  2ad3480  23d ago  deployment 1036 failed
    blog  production   deployed           33d486f  37d ago  -
    $ stackops status
    shop⇥production⇥deployed⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥2026-04-14T09:34:10Z⇥server shop-web-2 is impaired, not checked: backups
    blog⇥staging⇥deployment failed⇥2ad3480f7d40d57a3db3c960e9df0c3545a4bc64⇥2026-04-10T12:02:40Z⇥deployment 1036 failed, not checked: backups
    blog⇥production⇥deployed⇥33d486f14c49eb721a7026593a3bf2f45980498e⇥2026-03-28T07:33:05Z⇥not checked: backups
    $ stackops status --only backups
    shop⇥production⇥deployed⇥-⇥-⇥postgresql shop_events: no good backup within 24h
    blog⇥staging⇥deployment failed⇥-⇥-⇥-
    blog⇥production⇥deployed⇥-⇥-⇥-
    $ stackops status --only deployment,servers,backups
    shop⇥production⇥deployed⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥2026-04-14T09:34:10Z⇥server shop-web-2 is impaired, postgresql shop_events: no good backup within 24h
    blog⇥staging⇥deployment failed⇥2ad3480f7d40d57a3db3c960e9df0c3545a4bc64⇥2026-04-10T12:02:40Z⇥deployment 1036 failed
    blog⇥production⇥deployed⇥33d486f14c49eb721a7026593a3bf2f45980498e⇥2026-03-28T07:33:05Z⇥-
    $ stackops status --exit-code
    ! error: 2 stacks: shop/production (server shop-web-2 is impaired, postgresql shop_events: no good backup within 24h), blog/staging (deployment 1036 failed)
    shop⇥production⇥deployed⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥2026-04-14T09:34:10Z⇥server shop-web-2 is impaired, postgresql shop_events: no good backup within 24h
    blog⇥staging⇥deployment failed⇥2ad3480f7d40d57a3db3c960e9df0c3545a4bc64⇥2026-04-10T12:02:40Z⇥deployment 1036 failed
    blog⇥production⇥deployed⇥33d486f14c49eb721a7026593a3bf2f45980498e⇥2026-03-28T07:33:05Z⇥-
    = 9
    $ stackops status --jq '.[] | .name + " " + (.problems | length | tostring)'
    shop 1
    blog 1
    blog 0
  `));

test('named stacks', () =>
  transcript(`
    100$ stackops status -s blog/staging,shop
    ! not checked: backups
    NAME  ENVIRONMENT  STATE              COMMIT   SINCE    PROBLEMS
    blog  staging      deployment failed  2ad3480  23d ago  deployment 1036 failed
    shop  production   deployed           d8b847d  20d ago  server shop-web-2 is impaired
    $ stackops status -s shop,blog/staging --only backups --exit-code
    ! error: shop/production: postgresql shop_events: no good backup within 24h
    shop⇥production⇥deployed⇥-⇥-⇥postgresql shop_events: no good backup within 24h
    blog⇥staging⇥deployment failed⇥-⇥-⇥-
    = 9
    $ stackops status -s - --json --fields name,environment,problems
    < shop
    [{"name":"shop","environment":"production","problems":["server shop-web-2 is impaired"]}]
    $ stackops status -s shop,shop/production -q
    ! warning: shop/production is the same stack as shop; it counts once
    5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    80$ stackops status --all
    ! not checked: backups
    NAME  ENVIRONMENT  STATE              COMMIT   SINCE    PROBLEMS
    shop  production   deployed           d8b847d  20d ago  server shop-web-2 is
                                                            impaired
    blog  staging      deployment failed  2ad3480  23d ago  deployment 1036 failed
    blog  production   deployed           33d486f  37d ago  -
    $ stackops status --all --fields name,uid --limit 1
    shop⇥5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    $ stackops status -s shop,shpo
    ! error: stack "shpo" not found; did you mean "shop"?
    ! hint: stackops stack list
    = 3
    $ stackops status -s shop,00000000000000000000000000000000
    ! error: stack "00000000000000000000000000000000" not found
    ! hint: stackops stack list
    = 3
    $ stackops status -s blog/staging,blog/production --only deployment,servers,backups
    blog⇥staging⇥deployment failed⇥2ad3480f7d40d57a3db3c960e9df0c3545a4bc64⇥2026-04-10T12:02:40Z⇥deployment 1036 failed
    blog⇥production⇥deployed⇥33d486f14c49eb721a7026593a3bf2f45980498e⇥2026-03-28T07:33:05Z⇥-
    $ stackops status -s shop,blog/staging --all
    ! error: use --all or -s, not both
    = 2
  `));

test('the exit code judges the last deployment, the servers and the backups', () =>
  transcript(`
    $ stackops status -s shop --exit-code --json --fields name,environment,problems,errors
    ! {"error":{"code":"operation_failed","message":"shop/production: server shop-web-2 is impaired, postgresql shop_events: no good backup within 24h","status":null,"hint":null,"exit_code":9,"operation":null,"request_id":null}}
    {"name":"shop","environment":"production","problems":["server shop-web-2 is impaired","postgresql shop_events: no good backup within 24h"],"errors":[]}
    = 9
    $ stackops status -s shop --exit-code --only deployment,backups --backup-age 30d
    stack⇥shop/production⇥deployed⇥-
    deployment⇥1041⇥live⇥2026-04-14T09:30:00Z
    deployment⇥1040⇥success⇥2026-04-02T16:25:00Z
    deployment⇥1039⇥failed⇥2026-04-02T16:10:00Z
    deployment⇥1038⇥success⇥2026-03-24T08:41:00Z
    deployment⇥1037⇥success⇥2026-03-17T14:02:00Z
    backups⇥postgresql shop_prod⇥ok⇥2026-05-04T03:00:00Z
    backups⇥redis shop_cache⇥ok⇥2026-05-04T02:50:00Z
    backups⇥postgresql shop_events⇥ok⇥2026-05-02T03:20:00Z
    $ stackops status -s blog/production --exit-code
    stack⇥blog/production⇥deployed⇥-
    deployment⇥1033⇥live⇥2026-03-28T07:30:00Z
    variants⇥va-blog-live⇥active 100 %⇥2025-01-20T10:00:00Z
    servers⇥blog-1⇥healthy⇥-
    backups⇥postgresql blog⇥ok⇥2026-05-04T03:30:00Z
    $ stackops status -s blog/staging --exit-code --only deployment -q
    ! error: blog/staging: deployment 1036 failed
    blog/staging
    1036
    1035
    = 9
    $ stackops status -s shop --exit-code --only variants -q
    shop/production
    va-active
    va-canary
    va-preview
  `));

test('a section that cannot be read says why, and fails where it is needed', () =>
  transcript(
    `
    80$ stackops status -s shop --only deployment,variants,pending
    Stack        shop/production  deployed
    Live         deployment 1041, commit d8b847d, 20d ago, by mara@harbour.example
    Deployments  + + x + +  4 success, 1 failed
    Not read     variants (no redeploy scope), pending (no admin scope)
    $ stackops status -s shop --only deployment,variants --json --fields variants,errors
    {"variants":null,"errors":[{"section":"variants","code":"forbidden","message":"access denied (403): the token has no redeploy scope"}]}
    $ stackops status -s shop --only deployment --exit-code -q
    shop/production
    1041
    1040
    1039
    1038
    1037
    $ stackops status -s shop --only deployment,variants --exit-code -q
    ! error: shop/production: variants could not be read: access denied (403): the token has no redeploy scope
    shop/production
    1041
    1040
    1039
    1038
    1037
    -
    = 7
    $ stackops status -s shop --only variants
    ! error: access denied (403): the token has no redeploy scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
    $ stackops status -s 00000000000000000000000000000000
    ! error: stack 00000000000000000000000000000000 not found
    ! hint: stackops stack list
    = 3
  `,
    { STACKOPS_TOKEN: 'sandbox_public' },
  ));

test('mistakes', () =>
  transcript(`
    $ stackops status --all -s shop
    ! error: use --all or -s, not both
    = 2
    $ stackops status shop
    ! error: unexpected argument "shop" (did you mean -s shop?)
    ! hint: stackops status -s shop
    = 2
    $ stackops status -s shop --only server
    ! error: --only must be one of deployment, variants, servers, processes, backups, pending, not "server"
    ! hint: stackops status --only servers -s shop
    = 2
    $ stackops status -s shop --only '' --exit-code
    ! error: --only must not be empty
    = 2
    $ stackops activity -s shop --type ,
    ! error: --type must not be empty
    = 2
    $ stackops status -s shop --backup-age soon
    ! error: --backup-age must be a duration such as 90s, 5m, 8h or 7d, not "soon"
    = 2
  `));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const now = '2026-05-04T12:00:00Z';
const hoursAgo = (hours: number) => new Date(Date.parse(now) - hours * 3_600_000).toISOString();

/** Replies by the last part of the path; a function takes over the response. */
type Replies = Readonly<Record<string, readonly object[] | ((response: ServerResponse) => void)>>;

const deployment = (id: number, meaning: string, isLive = false) => ({
  id,
  outcome: { code: 0, meaning },
  started_at: hoursAgo(50 - id),
  finished_at: meaning === 'pending' ? null : hoursAgo(49 - id),
  git_hash: 'd8b847daf0a06d549f0919d2c59a146e283b8b78',
  is_live: isLive,
});
const backup = (id: number, hours: number, status: number) => ({
  id,
  db_type: 'mysql',
  database_name: 'orders',
  backup_status: status,
  backup_date_iso: hoursAgo(hours),
});
const healthy: Replies = {
  deployments: [deployment(2, 'success', true), deployment(1, 'success')],
  application_variants: [],
  servers: [{ uid: 's1', name: 'web-1', health_state: 3, server_roles: ['web'] }],
  processes: [{ name: 'web', servers: { 'web-1': 2 } }],
  backups: [backup(1, 5, 0)],
  environments: [],
};

async function serviceWith(replies: Replies) {
  const service = await startService(({ path }, response) => {
    const found = { ...healthy, ...replies }[path.slice(path.lastIndexOf('/') + 1)];
    if (typeof found === 'function') found(response);
    else if (found) reply(response, { response: found });
    else reply(response, { response: { uid, name: 'shop', environment: 'production', status: 1, is_busy: false } });
  });
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const status = (flags: readonly string[], options: RunOptions = {}) =>
    run(['status', '-s', uid, ...flags], { env: { ...env, NO_COLOR: '1' }, ...options });
  return { service, status };
}

test.each<readonly [string, Replies, string]>([
  [
    'a deployment that failed',
    { deployments: [deployment(3, 'failed'), deployment(2, 'success', true)] },
    'deployment 3 failed',
  ],
  [
    'one that failed before the one in progress',
    { deployments: [deployment(4, 'pending'), deployment(3, 'failed'), deployment(2, 'success', true)] },
    'deployment 3 failed',
  ],
  ['a failed server', { servers: [{ uid: 's1', name: 'web-1', health_state: 4 }] }, 'server web-1 is failed'],
  ['a backup that failed', { backups: [backup(1, 5, 0), backup(2, 1, 1)] }, 'mysql orders: the newest backup failed'],
  ['a backup of unknown status', { backups: [backup(1, 5, 7)] }, 'mysql orders: no good backup'],
  ['an old backup', { backups: [backup(1, 25, 0)] }, 'mysql orders: no good backup within 24h'],
])('--exit-code is 9 for %s', async (_, replies, error) => {
  const { status } = await serviceWith(replies);
  expect(await status(['--exit-code'])).toMatchObject({ code: 9, stderr: `error: shop/production: ${error}\n` });
  expect((await status([])).code).toBe(0);
});

test('--exit-code is 0 when all is well, also after a cancelled deployment', async () => {
  const { status } = await serviceWith({ deployments: [deployment(3, 'cancelled'), deployment(2, 'success', true)] });
  expect(await status(['--exit-code'])).toMatchObject({ code: 0, stderr: '' });
});

test('--exit-code is 7 when a section that is judged breaks, and the others stand', async () => {
  const { status } = await serviceWith({ servers: (response) => reply(response, { error: 'out of order' }, 501) });
  const { code, stdout, stderr } = await status(['--exit-code']);
  expect([code, stderr]).toEqual([
    7,
    expect.stringMatching(/^error: shop\/production: servers could not be read: .*\n$/),
  ]);
  expect(stdout).toContain('\nprocesses\tweb\t2\t-\n');
  expect(stdout).toMatch(/\nservers\t-\tunreadable: .*out of order/);
});

test('when the time is up, all reads end', async () => {
  const late = new AbortController();
  const service = await startService(() => {
    if (service.seen.length === 7) late.abort();
  });
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stderr } = await run(['status', '-s', uid], { env, deadline: late.signal });
  expect([code, stderr, service.seen.length]).toEqual([7, 'error: no response within 10 s\n', 7]);
});

test('names of the service steer no terminal, and one screen is never wider than the terminal', async () => {
  const name = `网页服务器\u001b[31m${'長'.repeat(60)}`;
  const { status } = await serviceWith({ servers: [{ uid: 's1', name, health_state: 3, server_roles: ['web'] }] });
  for (const terminal of [60, 80, 120, 200]) {
    const { stdout } = await status([], { terminal });
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toContain('网页服务器\\x1b[31m');
    expect(stdout.split('\n').filter((line) => cellWidth(line) > terminal)).toEqual([]);
  }
});

test.each([
  [null, '-'],
  [7, '7'],
  [{ a: [1] }, '{"a":[1]}'],
  [[null], '[null]'],
])('a name that is %j is shown all the same', async (name, shown) => {
  const { status } = await serviceWith({
    servers: [{ uid: 's1', name, health_state: 3, server_roles: 'web' }],
    processes: [{ name, servers: { 'web-1': 2 } }],
    backups: [{ ...backup(1, 5, 0), db_type: name, database_name: name }],
  });
  const { code, stdout } = await status(['--only', 'servers,processes,backups'], { terminal: 80 });
  expect({ code, lines: stdout.split('\n').slice(1, -1) }).toEqual({
    code: 0,
    lines: [
      `Servers    ${shown}  healthy  web`,
      `Processes  ${shown}  2  even  2 on web-1`,
      `Backups    ${shown}  ${shown}  ok  5h ago  -`,
    ],
  });
});

test('of many servers the worst are shown', async () => {
  const many = Array.from({ length: 12 }, (_, at) => ({
    uid: `s${at}`,
    name: `web-${at}`,
    health_state: at === 9 ? 4 : 3,
  }));
  const { status } = await serviceWith({ servers: many });
  const { stdout } = await status(['--only', 'servers'], { terminal: 80 });
  expect(stdout).toMatch(/Servers +web-9 +failed +-\n +web-0 +healthy/);
  expect(stdout).toContain('and 7 more\n');
});

test('named stacks take two requests each, and one for the list', async () => {
  const rows = [10, 11, 12].map((end) => ({
    uid: uid.replace(/..$/, String(end)),
    name: `s${end}`,
    environment: 'test',
  }));
  const { service } = await serviceWith({ stacks: rows });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  for (const named of ['s10,s12', `${rows[0]?.uid},s11`, `${rows[0]?.uid},${rows[1]?.uid}`]) {
    const before = service.seen.length;
    const { code, stdout } = await run(['status', '-s', named], { env });
    expect([named, code, stdout.trimEnd().split('\n').length, service.seen.length - before]).toEqual([named, 0, 2, 5]);
  }
});

test('a stack that is not found is an error before any is read', async () => {
  const { service } = await serviceWith({ stacks: [{ uid, name: 'shop', environment: 'test' }] });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  expect((await run(['status', '-s', 'shop,blog'], { env })).code).toBe(3);
  expect((await run(['status', '-s', `shop,${'0'.repeat(32)}`], { env })).code).toBe(3);
  expect(service.seen.map(({ path }) => path)).toEqual(['/stacks', '/stacks']);
});

test('stacks named by UID need no list', async () => {
  const { service } = await serviceWith({ stacks: (response) => reply(response, { error: 'not found' }, 404) });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stdout } = await run(['status', '-s', `${uid},${'1'.repeat(32)}`, '-q'], { env });
  expect([code, stdout]).toEqual([0, `${uid}\n${'1'.repeat(32)}\n`]);
});

test('all stacks take two requests each', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => ({
    uid: uid.replace(/..$/, String(at + 10)),
    name: `s${at}`,
    environment: 'test',
  }));
  const { service } = await serviceWith({ stacks: rows });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stdout } = await run(['status'], { env });
  expect([code, stdout.trimEnd().split('\n').length, service.seen.length]).toEqual([0, 12, 1 + 2 * 12]);
});

test('where no stacks are listed, one must be named', async () => {
  const { service } = await serviceWith({ stacks: (response) => reply(response, { error: 'not found' }, 404) });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  expect(await run(['status'], { env })).toEqual({
    code: 3,
    stdout: '',
    stderr: 'error: this service or token does not list stacks\nhint: give the UID of a stack with -s\n',
  });
});
