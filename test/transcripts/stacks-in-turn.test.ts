import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seedDeployments } from '../../src/sandbox/seed/rows.ts';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import { parseFault } from '../../src/sandbox/server/faults.ts';
import type { SandboxOptions } from '../../src/sandbox/server/server.ts';
import { startSandbox } from '../support/sandbox.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('several stacks are deployed one after another, in the order given, after one question', () =>
  transcript(`
    80$ stackops redeploy -s blog/staging,shop
    < n
    ! Deploy stack blog/staging, shop/production (one after another; blog/staging: from develop, live: commit 2ad3480 since 2026-04-10T12:02:40Z; shop/production: from main, live: commit d8b847d since 2026-04-14T09:34:10Z)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops redeploy -s blog/staging,shop -y --poll 2s --wait-timeout 1m
    ! 12:00:00 blog/staging: deployment 1042: queued
    ! 12:00:02 blog/staging: deployment 1042: deploying
    ! 12:00:06 blog/staging: deployment 1042: success
    ! 12:00:06 shop: deployment 1043: queued
    ! 12:00:08 shop: deployment 1043: deploying
    ! 12:00:12 shop: deployment 1043: success
    ! undo: stackops deployment rollback 1035 -s blog/staging && stackops deployment rollback 1041 -s shop
    blog/staging: deployment 1042 succeeded after 4s: commit d9a2ece
    blog/staging: Previously live: deployment 1035, commit 2ad3480
    shop: deployment 1043 succeeded after 4s: commit 967009b
    shop: Previously live: deployment 1041, commit d8b847d
    $ stackops deployment create -s shop,blog/staging -y --json --fields stack,id,change,after.is_live
    [{"stack":"shop","id":1044,"change":"deployed","after":{"is_live":true}},{"stack":"blog/staging","id":1045,"change":"deployed","after":{"is_live":true}}]
    $ stackops redeploy -s shop,shop/production,blog/production --git-ref main -n
    ! warning: shop/production is the same stack as shop; it counts once
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments
    Content-Type: application/json

    {"git_ref":"main","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}

    POST http://sandbox.localhost/api/3/stacks/b92c7d1e5f30584a9d6e7f8091a2b3c4/deployments
    Content-Type: application/json

    {"git_ref":"main","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    80$ stackops redeploy -s blog/production,blog/staging --rollout-strategy canary --canary-percentage 5
    < n
    ! Deploy stack blog/production, blog/staging (one after another; Deploy stack blog/production as a canary with 5 % of the traffic: from main, live: commit 33d486f since 2026-03-28T07:33:05Z; Deploy stack blog/staging as a canary with 5 % of the traffic: from develop, live: commit 6069abb since 2026-05-04T12:00:22Z)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
  `));

test('the first that fails stops the rest, and the last line goes on', () =>
  transcript(`
    $ stackops redeploy -s shop,blog/staging,blog/production -y --git-ref main
    ! 12:00:00 shop: deployment 1042: queued
    ! 12:00:05 shop: deployment 1042: success
    ! undo: stackops deployment rollback 1041 -s shop
    ! error: blog/staging failed: the service refused the request (400): git_ref is for stacks without containers. shop succeeded. Not tried: blog/production.
    ! hint: stackops redeploy --git-ref main -y -s blog/staging,blog/production
    shop: deployment 1042 succeeded after 4s: commit 2b88259
    shop: Previously live: deployment 1041, commit d8b847d
    blog/staging: starting deployment (failed)
    blog/production: starting deployment (not tried)
    = 1
    $ stackops redeploy -s shop,blog/staging,blog/production -y --git-ref main --keep-going
    ! 12:00:05 shop: deployment 1043: queued
    ! 12:00:10 shop: deployment 1043: success
    ! 12:00:10 blog/production: deployment 1044: queued
    ! 12:00:15 blog/production: deployment 1044: success
    ! undo: stackops deployment rollback 1042 -s shop && stackops deployment rollback 1033 -s blog/production
    ! error: blog/staging failed: the service refused the request (400): git_ref is for stacks without containers. shop, blog/production succeeded.
    ! hint: stackops redeploy --git-ref main -y --keep-going -w -s blog/staging
    shop: deployment 1043 succeeded after 4s: commit bda878b
    shop: Previously live: deployment 1042, commit 2b88259
    blog/production: deployment 1044 succeeded after 4s: commit 5e8120e
    blog/production: Previously live: deployment 1033, commit 33d486f
    blog/staging: starting deployment (failed)
    = 1
    $ stackops redeploy -s shop,blog/production -y --git-ref broken --json --fields stack,id,change,error
    ! {"error":{"code":"operation_failed","message":"shop failed: deployment 1045 failed after 4s (commit 3029828): The build failed. Live is still 1043. Not tried: blog/production.","status":null,"hint":"stackops redeploy --git-ref broken --json --fields stack,id,change,error -y -s shop,blog/production","exit_code":1,"operation":null,"request_id":null}}
    [{"stack":"shop","id":1045,"change":"failed","error":{"code":"operation_failed","message":"deployment 1045 failed after 4s (commit 3029828): The build failed. Live is still 1043."}},{"stack":"blog/production","id":null,"change":"not_tried","error":null}]
    = 1
  `));

test('one that has not ended in time is waited for before the command goes on', () =>
  transcript(`
    $ stackops redeploy -s shop,blog/production -y --git-ref slow --wait-timeout 2s --poll 1s
    ! 12:00:00 shop: deployment 1042: queued
    ! 12:00:01 shop: deployment 1042: deploying
    ! undo: stackops deployment cancel 1042 -s shop
    ! error: shop: deployment 1042 has not finished after 2s (deploying); it continues. Not tried: blog/production.
    ! hint: stackops deployment wait 1042 -s shop && stackops redeploy --git-ref slow -y --wait-timeout 2s --poll 1s -w -s blog/production
    shop: deployment 1042 deploying: commit 1ae266d
    blog/production: starting deployment (not tried)
    = 1
  `));

test('nothing is sent before all are found and planned, and only named stacks are', () =>
  transcript(`
    $ stackops redeploy -s 'blog*' -y
    ! error: "redeploy" needs exact names of stacks, not "blog*"; nothing was changed
    ! hint: stackops stack list
    = 2
    $ stackops stack settings set git.branch=release -s 'blog/*'
    ! error: "stack settings set" needs exact names of stacks, not "blog/*"; nothing was changed
    ! hint: stackops stack list
    = 2
    $ stackops redeploy -s shop,nope -y
    ! error: stack "nope" not found
    ! hint: stackops stack list
    = 3
    $ stackops redeploy -s shop,blog/staging
    ! error: "redeploy" needs -y (no terminal); nothing was changed
    ! hint: stackops redeploy -s shop,blog/staging -y
    = 2
    $ stackops redeploy -s shop,blog/staging -y --read-only
    ! error: "redeploy" changes the service, and only reads are allowed (flag --read-only); nothing was sent
    = 5
    $ stackops redeploy -s shop -y --poll 2s
    ! error: --poll needs --wait
    ! hint: stackops redeploy -s shop -y --poll 2s --wait
    = 2
    $ stackops profile set protected=true -p work -q
    $ stackops redeploy -s shop,blog/staging -y -p work
    ! error: "redeploy" needs --confirm 'shop/production, blog/staging' (protected profile, no terminal); nothing was changed
    ! hint: stackops redeploy -s shop,blog/staging -y -p work --confirm 'shop/production, blog/staging'
    = 2
    $ stackops redeploy -s shop -y -q
    $ stackops redeploy -s blog/production,shop -y --if-busy fail
    ! error: shop: deployment 1042 is pending; nothing was sent
    ! hint: stackops status -s shop
    = 6
    $ stackops history list --json --jq length
    1
  `));

test('settings of several stacks are changed one stack after another', () =>
  transcript(`
    $ stackops stack settings set git.branch=release -s shop,blog/staging
    ! 12:00:00 shop: action 812: started
    ! 12:00:05 shop: action 812: succeeded: Setting git.branch changed.
    ! 12:00:05 blog/staging: action 813: started
    ! 12:00:10 blog/staging: action 813: succeeded: Setting git.branch changed.
    ! undo: stackops stack settings set git.branch=main -s shop && stackops stack settings set git.branch=develop -s blog/staging
    shop: git.branch updated (main -> release)
    blog/staging: git.branch updated (develop -> release)
    $ stackops stack settings set git.branch=release -s shop,blog/staging --poll 1s
    shop: git.branch unchanged (release)
    blog/staging: git.branch unchanged (release)
    $ stackops stack settings set git.branch=next asset.prefix=x -s shop,blog/staging --json --fields stack,key,change
    [{"stack":"shop","key":"git.branch","change":"updated"},{"stack":"shop","key":"asset.prefix","change":"updated"},{"stack":"blog/staging","key":"git.branch","change":"updated"},{"stack":"blog/staging","key":"asset.prefix","change":"updated"}]
    80$ stackops stack settings set maintenance.mode=true -s shop,blog/staging
    < n
    ! Turn on maintenance mode for shop/production, blog/staging (one after another; shop/production: now false; blog/staging: now false)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops stack settings set git.branch=main -s shop,blog/staging -n
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/settings/1203
    Content-Type: application/json

    {"value":"main"}

    PUT http://sandbox.localhost/api/3/stacks/a81b6c0d4e2f49738c5d6e7f80912a3b/settings/1303
    Content-Type: application/json

    {"value":"main"}
    $ stackops stack settings set stack.name=x -s shop,blog/staging
    ! error: shop: stack.name is read-only; nothing was changed
    = 6
    $ stackops stack settings set db.check.backup.size=x -s shop,blog/staging
    ! error: shop failed: the service refused the request (400): setting "db.check.backup.size" takes a whole number; got "x". Not tried: blog/staging.
    ! hint: stackops stack settings set db.check.backup.size=x -s shop,blog/staging
    shop: updating db.check.backup.size (failed): 10 -> x
    blog/staging: updating db.check.backup.size (not tried): 10 -> x
    = 1
  `));

test('it is the same where the service answers with actions, and where those fail', async () => {
  await transcript(
    `
    $ stackops redeploy -s shop,blog/staging -y -q
    $ stackops stack settings set git.branch=release -s shop,blog/staging --jq 'map(.change) | unique'
    ["updated"]
  `,
    {},
    { replies: 'actions' },
  );
  await transcript(
    `
    $ stackops redeploy -s shop,blog/staging -y
    ! 12:00:00 shop: deployment 1042: queued
    ! 12:00:05 shop: deployment 1042: failed: The build failed.
    ! error: shop failed: deployment 1042 failed: The build failed. Not tried: blog/staging.
    ! hint: stackops redeploy -y -s shop,blog/staging
    shop: starting deployment (action 812, failed)
    blog/staging: starting deployment (not tried)
    = 1
  `,
    {},
    { replies: 'actions', failActions: true },
  );
});

/** Words played at a sandbox that can be changed behind their back, and the deployments that arrived there. */
async function served(words: string, { faults = [], ...options }: RunOptions & Pick<SandboxOptions, 'faults'> = {}) {
  const state = seedState(seedMoment);
  let nowMs = seedMoment.getTime();
  const now = () => new Date(nowMs);
  const sandbox = await startSandbox({ state, now, faults });
  onTestFinished(() => sandbox.close());
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  const play = (whileWaiting: () => void = () => undefined) => {
    let isFirst = true;
    const slept = (ms: number): void => {
      nowMs += ms;
      if (isFirst) whileWaiting();
      isFirst = false;
    };
    return run(words.split(' '), { env, now: () => seedMoment, slept, ...options });
  };
  const sent = () => sandbox.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path.split('/')[2]);
  return { play, state, sent };
}

const [shop, staging] = ['5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60', 'a81b6c0d4e2f49738c5d6e7f80912a3b'];
const production = 'b92c7d1e5f30584a9d6e7f8091a2b3c4';

test('a stack is planned once more when its turn comes: what went live meanwhile is what the undo goes back to', async () => {
  const { play, state } = await served('redeploy -s shop,blog/production -y');
  const { code, stderr, stdout } = await play(() => {
    const blog = state.stacks.find(({ row }) => row.name === 'blog' && row.environment === 'production');
    const [startedAt, finishedAt] = ['2026-05-04T12:00:00Z', '2026-05-04T12:00:01Z'];
    for (const { row } of blog?.deployments ?? []) row.is_live = false;
    blog?.deployments.push(...seedDeployments('blog', [[1043, 'mara', startedAt, finishedAt, { is_live: true }]]));
    state.next.deployment = 1044;
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining('blog/production: Previously live: deployment 1043')]);
  expect(stderr).toContain('&& stackops deployment rollback 1043 -s blog/production\n');
});

test.each([undefined, 80])('the result of each is shown before the next begins (terminal: %s)', async (terminal) => {
  let seen = '';
  const shown = (text: string) => {
    seen += text;
  };
  const { play } = await served('redeploy -s shop,blog/production -y -v', { shown, ...(terminal && { terminal }) });
  expect(await play()).toMatchObject({ code: 0 });
  const order = ['shop: deployment 1042 succeeded', `POST /stacks/${production}/deployments`, 'blog/production: Prev'];
  const places = order.map((text) => seen.indexOf(text));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(seen.match(/shop: deployment 1042 succeeded/g)).toHaveLength(1);
});

test('a name that would be several, a file or stdin in the line that goes on is its UID there', async () => {
  const list = join(temporaryFolder(), 'stacks');
  const { play, state } = await served(`redeploy -s @${list} --git-ref broken -y`);
  const names = ['shop, old', '@home', '-'];
  writeFileSync(list, names.join('\n'));
  for (const [at, name] of names.entries()) if (state.stacks[at]) state.stacks[at].row.name = name;
  const uids = state.stacks.map(({ row }) => row.uid);
  const { stderr } = await play();
  expect(stderr).toContain(`hint: stackops redeploy --git-ref broken -y -s ${uids.join(',')}\n`);
});

test('a setting that somebody else changed meanwhile is not overwritten', async () => {
  const { play, state, sent } = await served('stack settings set git.branch=release -s shop,blog/staging');
  const { code, stderr } = await play(() => {
    const branch = state.stacks[1]?.settings.find(({ key }) => key === 'git.branch');
    if (branch) branch.value = 'hotfix';
  });
  expect(code).toBe(1);
  expect(stderr).toContain(
    'error: blog/staging failed: git.branch changed meanwhile; nothing was sent. shop succeeded.\n' +
      'hint: stackops stack settings set git.branch=release -w -s blog/staging\n',
  );
  expect(sent()).toEqual([shop]);
});

test('an outcome that is not known stops the rest, too, and is checked before the command goes on', async () => {
  const faults = [parseFault(`POST /stacks/${staging}/deployments=504`)];
  const { play, sent } = await served('redeploy -s shop,blog/staging,blog/production -y', { faults });
  const { code, stderr, stdout } = await play();
  expect([code, sent()]).toEqual([11, [shop, staging]]);
  expect(stderr).toContain('shop succeeded. Not tried: blog/production.\n');
  expect(stderr).toMatch(
    /hint: stackops deployment list -s blog\/staging && stackops redeploy -y -w -s blog\/production\n$/,
  );
  expect(stdout).toContain('blog/staging: starting deployment (outcome unknown)\n');
});

test('Ctrl-C stops the waiting, and the rest', async () => {
  const stop = new AbortController();
  const { play, sent } = await served('redeploy -s shop,blog/staging -y', { signal: stop.signal });
  const { code, stderr } = await play(() => stop.abort('SIGINT'));
  expect([code, sent()]).toEqual([130, [shop]]);
  expect(stderr).toMatch(
    /Not tried: blog\/staging\.\nhint: stackops deployment wait 1042 -s shop && stackops redeploy -y -w -s blog\/staging\n$/,
  );
});

test('a table of values holds nothing but its rows', async () => {
  const { code, stdout } = await run(
    ['redeploy', '-s', 'shop,blog/staging', '-y', '--output', 'csv', '--fields', 'stack,id'],
    {
      env: { STACKOPS_SANDBOX: '1' },
    },
  );
  expect([code, stdout]).toEqual([0, 'stack,id\r\nshop,1042\r\nblog/staging,1043\r\n']);
});
