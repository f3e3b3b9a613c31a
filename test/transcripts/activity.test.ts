import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('what happened in a stack is one list, newest first', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug SMTP_PASSWORD=correct-horse FEATURE=on -s shop -q
    +60s
    $ stackops stack settings set git.branch=release -s shop -q
    $ stackops redeploy --git-ref broken -s shop -y -q
    +60s
    $ stackops backup create --db-type postgresql -s shop -q
    +60s
    $ stackops redeploy --git-ref slow -s shop -y -q
    +30s
    100$ stackops activity -s shop
    TIME     TYPE        NAME           EVENT                                                   BY
    29s ago  deployment  1043           deploying, redeploy of commit 408a103                   me
    1m ago   backup      907            ok, postgresql shop_prod, 64.0 KiB                      me
    2m ago   deployment  1042           failed, redeploy of commit 089b39c, took 4s: The build  me
                                        failed.
    2m ago   setting     git.branch     last set to release                                     me
    3m ago   env         LOG_LEVEL      updated (info -> debug)                                 me
    3m ago   env         SMTP_PASSWORD  updated (*** -> ***)                                    me
    3m ago   env         FEATURE        created (on)                                            me
    9h ago   backup      906            ok, postgresql shop_prod, 400.0 KiB                     -
    9h ago   backup      905            ok, redis shop_cache, 40.0 KiB                          -
    80$ stackops activity -s shop
    TIME     TYPE        NAME           EVENT                                     BY
    29s ago  deployment  1043           deploying, redeploy of commit 408a103     me
    1m ago   backup      907            ok, postgresql shop_prod, 64.0 KiB        me
    2m ago   deployment  1042           failed, redeploy of commit 089b39c, took  me
                                        4s: The build failed.
    2m ago   setting     git.branch     last set to release                       me
    3m ago   env         LOG_LEVEL      updated (info -> debug)                   me
    3m ago   env         SMTP_PASSWORD  updated (*** -> ***)                      me
    3m ago   env         FEATURE        created (on)                              me
    9h ago   backup      906            ok, postgresql shop_prod, 400.0 KiB       -
    9h ago   backup      905            ok, redis shop_cache, 40.0 KiB            -
    $ stackops activity -s shop
    2026-05-04T12:03:01Z⇥deployment⇥1043⇥deploying, redeploy of commit 408a103⇥me
    2026-05-04T12:02:03Z⇥backup⇥907⇥ok, postgresql shop_prod, 64.0 KiB⇥me
    2026-05-04T12:01:05Z⇥deployment⇥1042⇥failed, redeploy of commit 089b39c, took 4s: The build failed.⇥me
    2026-05-04T12:01:03Z⇥setting⇥git.branch⇥last set to release⇥me
    2026-05-04T12:00:00Z⇥env⇥LOG_LEVEL⇥updated (info -> debug)⇥me
    2026-05-04T12:00:00Z⇥env⇥SMTP_PASSWORD⇥updated (*** -> ***)⇥me
    2026-05-04T12:00:00Z⇥env⇥FEATURE⇥created (on)⇥me
    2026-05-04T03:00:00Z⇥backup⇥906⇥ok, postgresql shop_prod, 400.0 KiB⇥-
    2026-05-04T02:50:00Z⇥backup⇥905⇥ok, redis shop_cache, 40.0 KiB⇥-
    $ stackops activity -s shop --json --limit 2
    [{"time":"2026-05-04T12:03:01Z","type":"deployment","name":"1043","event":"deploying, redeploy of commit 408a103","by":"me"},{"time":"2026-05-04T12:02:03Z","type":"backup","name":"907","event":"ok, postgresql shop_prod, 64.0 KiB","by":"me"}]
  `));

test('how far back: a time, a day, or a moment', () =>
  transcript(`
    80$ stackops activity -s shop --type deployment
    ! shop: last event 20d ago: deployment 1041: success, build of commit d8b847d, took 4m
    ! No events in this time.
    $ stackops activity -s shop --type deployment,env --json
    ! {"note":"shop: last event 20d ago: deployment 1041: success, build of commit d8b847d, took 4m"}
    []
    $ stackops activity -s shop --type deployment -q
    $ stackops activity -s shop --since 21d --type deployment
    2026-04-14T09:34:10Z⇥deployment⇥1041⇥success, build of commit d8b847d, took 4m⇥mara@harbour.example
    $ stackops activity -s shop --since 2026-04-14 --type deployment
    2026-04-14T09:34:10Z⇥deployment⇥1041⇥success, build of commit d8b847d, took 4m⇥mara@harbour.example
    $ stackops activity -s shop --since 2026-04-14T09:34:10Z --type deployment
    2026-04-14T09:34:10Z⇥deployment⇥1041⇥success, build of commit d8b847d, took 4m⇥mara@harbour.example
    $ stackops activity -s shop --since 2026-04-14T09:34:11Z --type deployment
    ! shop: last event 20d ago: deployment 1041: success, build of commit d8b847d, took 4m
    ! No events in this time.
    $ stackops activity -s shop --since 2026-04-14T11:34+02:00 --type deployment
    2026-04-14T09:34:10Z⇥deployment⇥1041⇥success, build of commit d8b847d, took 4m⇥mara@harbour.example
    $ stackops activity -s shop --type local
    ! No events in this time.
    $ stackops activity -s shop --since yesterday
    ! error: --since must be a duration such as 2h or 3d, or a time such as 2026-03-02 or 2026-03-02T18:45:00Z, not "yesterday"
    ! hint: stackops activity --since 24h -s shop
    = 2
    $ stackops activity -s shop --since 2026-02-30
    ! error: --since must be a duration such as 2h or 3d, or a time such as 2026-03-02 or 2026-03-02T18:45:00Z, not "2026-02-30"
    = 2
    $ stackops activity -s shop --type envs
    ! error: --type must be one of deployment, env, setting, action, backup, local, not "envs"
    ! hint: stackops activity --type env -s shop
    = 2
    $ stackops activity shop
    ! error: unexpected argument "shop" (did you mean -s shop?)
    ! hint: stackops activity -s shop
    = 2
    $ stackops activity
    ! error: which stack? shop, blog/staging, blog/production
    ! hint: stackops activity -s shop
    = 2
  `));

test('rows are chosen, sorted and printed as those of every list', () =>
  transcript(`
    $ stackops activity -s shop --since 1000d --where event~failed
    2026-05-03T03:00:00Z⇥backup⇥904⇥failed, postgresql shop_prod, pg_dump: no space left on device⇥-
    2026-04-02T16:11:29Z⇥deployment⇥1039⇥failed, build of commit 3245753, took 1m⇥iven@harbour.example
    $ stackops activity -s shop --since 60d --where by~iven --fields name,event --sort time
    1038⇥success, build of commit aaf3969, took 4m
    1039⇥failed, build of commit 3245753, took 1m
    1040⇥success, build of commit e5e13e8, took 4m
    $ stackops activity -s shop --since 60d --type deployment --output ndjson --limit 1
    {"time":"2026-04-14T09:34:10Z","type":"deployment","name":"1041","event":"success, build of commit d8b847d, took 4m","by":"mara@harbour.example"}
    $ stackops activity -s shop --since 60d --type env,deployment --jq '.[] | .type + " " + .name'
    deployment 1041
    deployment 1040
    deployment 1039
    deployment 1038
    deployment 1037
    $ stackops activity -s shop --since 60d --type backup -q
    906
    905
    904
    903
    902
    901
    80$ stackops activity -s shop --since 60d --limit 2
    ! 2 of 11 events.
    TIME    TYPE    NAME  EVENT                                BY
    9h ago  backup  906   ok, postgresql shop_prod, 400.0 KiB  -
    9h ago  backup  905   ok, redis shop_cache, 40.0 KiB       -
    80$ stackops activity -s shop --since 60d --where type=local
    ! No events match --where.
  `));

test('values that may be secret are masked, in JSON too', () =>
  transcript(`
    $ stackops stack env set SMTP_PASSWORD=correct-horse API_TOKEN=abc -s shop -q
    $ stackops stack env set CACHE=redis://app:pw@cache.example -s shop -q
    +60s
    $ stackops stack env set CACHE=off API_TOKEN=def LONG=0123456789012345678901234567890123456789abcdef -s shop -q
    $ stackops activity -s shop --type env --json --fields name,event
    [{"name":"API_TOKEN","event":"updated (*** -> ***)"},{"name":"CACHE","event":"updated (*** -> ***)"},{"name":"LONG","event":"created (012345678901234567890123456789012345678…)"},{"name":"SMTP_PASSWORD","event":"updated (*** -> ***)"},{"name":"API_TOKEN","event":"created (***)"},{"name":"CACHE","event":"created (***)"}]
    $ stackops activity -s shop --type env --fields name,event
    API_TOKEN⇥updated (*** -> ***)
    CACHE⇥updated (*** -> ***)
    LONG⇥created (012345678901234567890123456789012345678…)
    SMTP_PASSWORD⇥updated (*** -> ***)
    API_TOKEN⇥created (***)
    CACHE⇥created (***)
    $ stackops activity -s shop --type env --fields name,event --reveal
    API_TOKEN⇥updated (abc -> def)
    CACHE⇥updated (redis://app:pw@cache.example -> off)
    LONG⇥created (012345678901234567890123456789012345678…)
    SMTP_PASSWORD⇥updated (sandbox-smtp-password -> correct-horse)
    API_TOKEN⇥created (abc)
    CACHE⇥created (redis://app:pw@cache.example)
  `));

test('several stacks', () =>
  transcript(`
    $ stackops stack env set FEATURE=on -s shop,blog/staging -q
    $ stackops activity -s shop,blog/staging
    shop⇥2026-05-04T12:00:00Z⇥env⇥FEATURE⇥created (on)⇥me
    blog/staging⇥2026-05-04T12:00:00Z⇥env⇥FEATURE⇥created (on)⇥me
    shop⇥2026-05-04T03:00:00Z⇥backup⇥906⇥ok, postgresql shop_prod, 400.0 KiB⇥-
    shop⇥2026-05-04T02:50:00Z⇥backup⇥905⇥ok, redis shop_cache, 40.0 KiB⇥-
    $ stackops activity --all --type env,local,deployment --since 25d --fields stack,type,by
    shop/production⇥env⇥me
    blog/staging⇥env⇥me
    shop/production⇥deployment⇥mara@harbour.example
    blog/staging⇥deployment⇥mara@harbour.example
    blog/staging⇥deployment⇥mara@harbour.example
    $ stackops activity --all -s shop,blog/staging
    ! error: use --all or -s, not both
    = 2
    $ stackops activity --all -s shop
    ! error: use --all or -s, not both
    = 2
    80$ stackops activity -s shop,blog/staging --since 30d --type deployment
    STACK         TIME     TYPE        NAME  EVENT                              BY
    shop          20d ago  deployment  1041  success, build of commit d8b847d,  mara
                                             took 4m
    blog/staging  22d ago  deployment  1036  failed, build of commit 0a9d036,   mara
                                             took 52s
    blog/staging  23d ago  deployment  1035  success, build of commit 2ad3480,  mara
                                             took 2m
    $ stackops activity -s shop,blog/staging,nope
    ! error: stack "nope" not found
    ! hint: stackops stack list
    = 3
    80$ stackops activity -s shop,blog/staging --type action
    ! shop: last event 20d ago: action 811: deploy succeeded: Deployed.
    ! No events in this time.
    $ stackops activity -s shop,blog/staging --json --fields stack,name --limit 1
    [{"stack":"shop","name":"FEATURE"}]
  `));

test('a type that cannot be read says why, and the others stand', () =>
  transcript(
    `
    $ stackops activity -s shop --since 21d
    ! warning: shop: env could not be read: access denied (403): the token has no admin scope
    ! warning: shop: setting could not be read: access denied (403): the token has no admin scope
    2026-05-04T03:00:00Z⇥backup⇥906⇥ok, postgresql shop_prod, 400.0 KiB⇥-
    2026-05-04T02:50:00Z⇥backup⇥905⇥ok, redis shop_cache, 40.0 KiB⇥-
    2026-05-03T03:00:00Z⇥backup⇥904⇥failed, postgresql shop_prod, pg_dump: no space left on device⇥-
    2026-05-02T03:20:00Z⇥backup⇥903⇥ok, postgresql shop_events, 2.5 MiB⇥-
    2026-05-02T03:10:00Z⇥backup⇥902⇥ok, redis shop_cache, 40.0 KiB⇥-
    2026-05-02T03:00:00Z⇥backup⇥901⇥ok, postgresql shop_prod, 384.0 KiB⇥-
    2026-04-14T09:34:10Z⇥deployment⇥1041⇥success, build of commit d8b847d, took 4m⇥mara@harbour.example
    $ stackops activity -s shop --since 21d -q
    ! warning: shop: env could not be read: access denied (403): the token has no admin scope
    ! warning: shop: setting could not be read: access denied (403): the token has no admin scope
    906
    905
    904
    903
    902
    901
    1041
    $ stackops activity -s shop --type env,setting
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
    $ stackops activity -s shop --type env,local
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
    $ stackops activity -s 00000000000000000000000000000000
    ! error: stack 00000000000000000000000000000000 not found
    ! hint: stackops stack list
    = 3
  `,
    { STACKOPS_TOKEN: 'sandbox_public' },
  ));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const now = Date.parse('2026-05-04T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString().replace('.000Z', 'Z');

/** Replies by the last part of the path: rows, or a function that takes over the response. */
type Replies = Readonly<Record<string, readonly object[] | ((response: ServerResponse) => void)>>;

const perPage = 30;

/** A service whose lists are empty but for these. */
async function serviceWith(replies: Replies) {
  const service = await startService(({ path, query }, response) => {
    const found = replies[path.slice(path.lastIndexOf('/') + 1)] ?? [];
    if (typeof found === 'function') return found(response);
    const current = Number(new URLSearchParams(query).get('page') ?? 1);
    const rows = found.slice((current - 1) * perPage, current * perPage);
    const pages = Math.max(1, Math.ceil(found.length / perPage));
    reply(response, {
      response: rows,
      pagination: {
        current,
        pages,
        next: current < pages ? current + 1 : null,
      },
    });
  });
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const activity = (flags: readonly string[], options: RunOptions = {}) =>
    run(['activity', '-s', uid, ...flags], {
      env: { ...env, NO_COLOR: '1' },
      ...options,
    });
  return { service, activity };
}

const deployment = (id: number, minutes: number) => ({
  id,
  outcome: { code: 1, meaning: 'success' },
  started_at: minutesAgo(minutes + 1),
  finished_at: minutesAgo(minutes),
});
const hourly = Array.from({ length: 70 }, (_, at) => deployment(100 - at, at * 60));

test('without actions the list is complete, and a note says so', async () => {
  const { activity } = await serviceWith({
    deployments: [deployment(2, 5)],
    actions: (response) => reply(response, { error: 'not found' }, 404),
  });
  expect(await activity([])).toEqual({
    code: 0,
    stdout: '2026-05-04T11:55:00Z\tdeployment\t2\tsuccess, took 1m\t-\n',
    stderr: `${uid}: this service does not list actions\n`,
  });
  expect((await activity(['-q'])).stderr).toBe('');
  expect((await activity(['--type', 'action'])).code).toBe(3);
});

test('what is queued has no time, and comes first', async () => {
  const { activity } = await serviceWith({
    deployments: [
      {
        id: 3,
        outcome: { code: 0, meaning: 'pending' },
        started_at: null,
        finished_at: null,
      },
    ],
    actions: [
      {
        id: 9,
        action: 'deploy',
        user: 'ada',
        started_at: null,
        finished_at: null,
        finished_success: null,
      },
      {
        id: 8,
        status: 'queued',
        action_type: 'database_create',
        created_at: minutesAgo(2),
        finished_success: null,
      },
      {
        id: 7,
        action_type: 'database_create',
        finished_at: minutesAgo(3),
        finished_success: 'true',
      },
    ],
    backups: [
      {
        id: 1,
        db_type: 'mysql',
        database_name: 'orders',
        backup_status: 7,
        backup_date_iso: null,
      },
    ],
  });
  expect((await activity([])).stdout.trimEnd().split('\n')).toEqual([
    '-\tdeployment\t3\tpending\tada',
    '2026-05-04T11:58:00Z\taction\t8\tdatabase_create queued\t-',
    '2026-05-04T11:57:00Z\taction\t7\tdatabase_create succeeded\t-',
  ]);
});

test('a list that comes newest first is read as far as it is wanted, any other to its end', async () => {
  const newestFirst = await serviceWith({ deployments: hourly });
  const { stdout } = await newestFirst.activity(['--type', 'deployment']);
  expect([stdout.trimEnd().split('\n').length, newestFirst.service.seen.length]).toEqual([25, 1]);
  const all = await newestFirst.activity(['--type', 'deployment', '--since', '3d']);
  expect([all.stdout.trimEnd().split('\n').length, newestFirst.service.seen.length]).toEqual([70, 1 + 4]);
  const oldestFirst = await serviceWith({ deployments: hourly.toReversed() });
  expect(await oldestFirst.activity(['--type', 'deployment'])).toMatchObject({
    stdout,
  });
  expect(oldestFirst.service.seen.length).toBe(4);
});

test('of variables and settings all pages are read', async () => {
  const old = { created_at: minutesAgo(9000), updated_at: minutesAgo(9000) };
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: at,
    key: `K${at}`,
    value: 'x',
    is_password: false,
    ...old,
  }));
  const { activity, service } = await serviceWith({
    environments: [
      ...rows,
      {
        ...old,
        id: 41,
        key: 'LAST',
        value: 'b',
        is_password: false,
        updated_at: minutesAgo(1),
      },
    ],
    settings: [
      ...rows,
      {
        id: 41,
        key: 'hook',
        value: 'https://u:p@host.example',
        updated_at: minutesAgo(2),
      },
    ],
  });
  const { stdout } = await activity(['--type', 'env,setting', '--fields', 'name,event']);
  expect([stdout, service.seen.length]).toEqual(['LAST\tset (b)\nhook\tlast set to ***\n', 4]);
});

test('the values of a variable are told apart by what is known of them', async () => {
  const [first, second] = [minutesAgo(60), minutesAgo(30)];
  const { activity } = await serviceWith({
    environments: [
      {
        ...{
          id: 1,
          key: 'A',
          value: 'c',
          is_password: false,
          created_at: first,
          updated_at: minutesAgo(10),
        },
        history: [
          {
            key: 2,
            value: 'b',
            created_at: second,
            updated_at: minutesAgo(10),
          },
          {
            key: 1,
            value: 'a\u001b[31m\n',
            created_at: first,
            updated_at: second,
          },
        ],
      },
    ],
  });
  expect((await activity(['--fields', 'event'])).stdout).toBe(
    'updated (b -> c)\nupdated (a\\x1b[31m\\n -> b)\ncreated (a\\x1b[31m\\n)\n',
  );
});

test('a history that is no list is none, and a backup without an ID has a dash', async () => {
  const { activity } = await serviceWith({
    environments: [
      {
        id: 1,
        key: 'A',
        value: 'c',
        is_password: false,
        created_at: minutesAgo(9),
        updated_at: minutesAgo(9),
        history: {},
      },
    ],
    backups: [
      {
        id: null,
        backup_status: 0,
        db_type: 'redis',
        database_name: 'cache',
        backup_date_iso: minutesAgo(5),
      },
    ],
  });
  expect((await activity(['--fields', 'name,event'])).stdout).toBe('-\tok, redis cache\nA\tcreated (c)\n');
});

test('only what was done at this service counts as done from here', async () => {
  const [here, elsewhere] = [await serviceWith({}), await serviceWith({})];
  const state = { XDG_STATE_HOME: temporaryFolder() };
  const at = ({ service }: typeof here) => ({
    ...state,
    STACKOPS_BASE_URL: service.url,
    STACKOPS_TOKEN: 'x',
  });
  await run(['stack', 'env', 'set', 'A=1', '-s', uid], { env: at(here) });
  await run(['stack', 'env', 'set', 'B=1', '-s', uid], { env: at(elsewhere) });
  await run(['stack', 'env', 'set', 'C=1', '-s', uid.replace(/^5/, '6')], {
    env: at(here),
  });
  const { stdout } = await run(['activity', '-s', uid, '--fields', 'type,name,event'], { env: at(here) });
  expect(stdout).toBe(`local\t1\tstack env set A=<value> -s ${uid}: unknown\n`);
});

test('when the time is up, all reads end', async () => {
  const late = new AbortController();
  const service = await startService(() => {
    if (service.seen.length === 5) late.abort();
  });
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const { code, stderr } = await run(['activity', '-s', uid], {
    env,
    deadline: late.signal,
  });
  expect([code, stderr, service.seen.length]).toEqual([7, 'error: no response within 10 s\n', 5]);
});
