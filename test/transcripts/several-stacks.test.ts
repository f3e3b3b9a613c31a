import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseFault } from '../../src/sandbox/server/faults.ts';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

const blog = 'a81b6c0d4e2f49738c5d6e7f80912a3b';

test('a read over several stacks is one list whose rows say where they come from', () =>
  transcript(`
    $ stackops server list -s shop,blog/staging --columns stack,name,region
    shop⇥shop-web-1⇥fsn1
    shop⇥shop-web-2⇥fsn1
    shop⇥shop-db-1⇥fsn1
    shop⇥shop-worker-1⇥fsn1
    blog/staging⇥blog-staging-1⇥fsn1
    $ stackops server list -s shop,blog/staging --json --fields stack,name --limit 1
    [{"stack":"shop","name":"shop-web-1"}]
    80$ stackops server list -s shop,blog/staging
    STACK         NAME            HEALTH    ROLES       ADDRESS       REGION  DISTRO
    shop          shop-web-1      healthy   web         203.0.113.11  fsn1    ubuntu
    shop          shop-web-2      impaired  web         203.0.113.12  fsn1    ubuntu
    shop          shop-db-1       healthy   postgresq…  203.0.113.21  fsn1    ubuntu
    shop          shop-worker-1   healthy   worker      203.0.113.31  fsn1    ubuntu
    blog/staging  blog-staging-1  healthy   docker, p…  203.0.113.41  fsn1    ubuntu
    $ stackops stack env get LOG_LEVEL -s shop,blog/staging
    shop⇥info
    blog/staging⇥debug
  `));

test('a stack that fails is a row with its error, and the others are shown', () =>
  transcript(`
    $ stackops stack env get CURRENCY -s shop,blog/staging
    ! error: blog/staging failed: environment variable "CURRENCY" not found. shop succeeded.
    ! hint: stackops stack env list -s blog/staging
    shop⇥EUR
    = 1
    $ stackops stack env get CURRENCY -s shop,blog/staging --json --fields stack,value,error.code
    ! {"error":{"code":"not_found","message":"blog/staging failed: environment variable \\"CURRENCY\\" not found. shop succeeded.","status":null,"hint":"stackops stack env list -s blog/staging","exit_code":1,"operation":null,"request_id":null}}
    [{"stack":"shop","value":"EUR","error":null},{"stack":"blog/staging","value":null,"error":{"code":"not_found"}}]
    = 1
    $ stackops stack env get CURRENCY -s shop,blog/staging --json --fields value
    ! {"error":{"code":"not_found","message":"blog/staging failed: environment variable \\"CURRENCY\\" not found. shop succeeded.","status":null,"hint":"stackops stack env list -s blog/staging","exit_code":1,"operation":null,"request_id":null}}
    [{"value":"EUR"},{"value":null,"stack":"blog/staging","error":{"code":"not_found","message":"environment variable \\"CURRENCY\\" not found"}}]
    = 1
    $ stackops stack env get NOPE -s shop,blog/staging
    ! error: shop failed: environment variable "NOPE" not found. blog/staging failed: environment variable "NOPE" not found.
    ! hint: stackops stack env list -s shop
    = 3
  `));

test('variables are set and deleted everywhere, and one command undoes it', () =>
  transcript(`
    $ stackops stack env set FEATURE=on -s shop,blog/staging
    ! undo: stackops stack env unset FEATURE -s shop && stackops stack env unset FEATURE -s blog/staging
    shop: FEATURE created (on)
    blog/staging: FEATURE created (on)
    Running code may see this only after the next deployment.
    $ stackops stack env set FEATURE=on -s shop,blog/staging --json
    [{"stack":"shop","key":"FEATURE","change":"unchanged","before":"on","after":"on","action":null,"message":null,"error":null},{"stack":"blog/staging","key":"FEATURE","change":"unchanged","before":"on","after":"on","action":null,"message":null,"error":null}]
    $ stackops stack env unset FEATURE -s shop,blog/staging
    ! error: "stack env unset" needs -y (no terminal); nothing was changed
    ! hint: stackops stack env unset FEATURE -s shop,blog/staging -y
    = 2
    80$ stackops stack env unset FEATURE -s shop,blog/staging
    < y
    ! Delete FEATURE (environment variable of shop/production, environment variable of blog/staging)? [y/N]
    ! undo: stackops stack env set FEATURE=on -s shop && stackops stack env set FEATURE=on -s blog/staging
    shop: FEATURE deleted (was on)
    blog/staging: FEATURE deleted (was on)
    Running code may see this only after the next deployment.
  `));

test('a half-made unset over several stacks can be typed again', () =>
  transcript(`
    $ stackops stack env set A=1 B=2 -s shop,blog/staging -q
    $ stackops stack env unset A B -s shop -y -q
    80$ stackops stack env unset A B -s shop,blog/staging
    < y
    ! Delete A, B (2 environment variables of blog/staging)? [y/N]
    ! undo: stackops stack env set A=1 B=2 -s blog/staging
    blog/staging: A deleted (was 1)
    blog/staging: B deleted (was 2)
    2 unchanged
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env unset A B -s shop,blog/staging -y
    ! error: shop: environment variable "A" not found
    ! hint: stackops stack env list -s shop
    = 3
  `));

test('nothing is sent before every stack is found and would take the change', () =>
  transcript(`
    $ stackops stack env set FEATURE=on -s shop,nope
    ! error: stack "nope" not found
    ! hint: stackops stack list
    = 3
    $ stackops stack env set STACK_NAME=x -s blog/staging,shop
    ! error: shop: STACK_NAME is read-only; nothing was changed
    = 6
    $ stackops stack env get STACK_NAME -s blog/staging
    ! error: environment variable "STACK_NAME" not found
    ! hint: stackops stack env list -s blog/staging
    = 3
    $ stackops deployment rollback -s shop,blog/staging -y
    ! error: "deployment rollback" acts on one stack at a time; give -s one name
    = 2
    $ stackops server list -s shop,,blog
    ! error: --stack must be names separated by commas, not "shop,,blog"
    = 2
    $ stackops stack env set A=1 -s shop,shop/production --dry-run
    ! warning: shop/production is the same stack as shop; it counts once
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments
    Content-Type: application/json

    {"key":"A","value":"1"}
  `));

test('the stacks may stand in a file, or come from stdin', async () => {
  const file = join(temporaryFolder(), 'stacks');
  writeFileSync(file, '# all that is ours\nshop\n\nblog/staging # soon to go\nshop\n');
  const env = { STACKOPS_SANDBOX: '1' };
  const words = ['stack', 'env', 'get', 'LOG_LEVEL', '-s'];
  const expected = { code: 0, stdout: 'shop\tinfo\nblog/staging\tdebug\n' };
  expect(await run([...words, `@${file}`], { env })).toMatchObject(expected);
  expect(await run([...words, '-'], { env, stdin: 'shop\nblog/staging\n' })).toMatchObject(expected);
  expect(await run([...words, '-'], { env, stdin: '# none\n' })).toMatchObject({
    code: 2,
    stderr: 'error: no stack in stdin\n',
  });
  const set = ['stack', 'env', 'set', 'K', '--stdin', '-s', '-'];
  expect(await run(set, { env, stdin: 'shop\n' })).toMatchObject({
    code: 2,
    stderr: 'sandbox: nothing here is real\nerror: shop: use stdin for -s or for another value, not both\n',
  });
  const ofOne = join(temporaryFolder(), 'one');
  writeFileSync(ofOne, 'shop # the only one\n');
  const uid = ['stack', 'get', '--jq', '.uid', '-s'];
  expect(await run([...uid, `@${ofOne}`], { env })).toEqual(await run([...uid, 'shop'], { env }));
  expect(await run(['stack', 'get', '-s', `@${file}`], { env })).toMatchObject({
    code: 2,
    stderr: 'error: "stack get" acts on one stack at a time; give -s one name\n',
  });
  expect(await run(['stack', 'env', 'get', 'LOG_LEVEL', '--stacks-file', file], { env })).toMatchObject({
    code: 2,
    stderr: 'error: --stacks-file was removed; use -s @FILE, or -s - for stdin\n',
  });
  expect(await run([...words, '@'], { env })).toMatchObject({
    code: 2,
    stderr: 'error: -s @ needs a file name: -s @FILE\n',
  });
});

test('a change that one stack refuses is made on the other, and the run failed in part', async () => {
  const sandbox = await startSandbox({ faults: [`POST /stacks/${blog}/environments=422`].map(parseFault) });
  onTestFinished(() => sandbox.close());
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  const words = ['stack', 'env', 'set', 'A=1', '-s', 'shop,blog/staging', '--json', '--fields', 'stack,change'];
  const { code, stdout } = await run(words, { env });
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [
      { stack: 'shop', change: 'created' },
      { stack: 'blog/staging', change: 'failed' },
    ],
  ]);
});

/**
 * A service with five empty stacks that cuts the first change off, or none. It answers changes when a request of its own
 * has come back and no other change has arrived meanwhile: whatever is sent at once is under way at once.
 */
async function fiveStacks(first: 'answered' | 'cut') {
  const seen = { most: 0, all: 0 };
  const under: ServerResponse[] = [];
  const answerWhenQuiet = async () => {
    const before = seen.all;
    await (await fetch(url)).text();
    if (seen.all > before) return;
    for (const one of under.splice(0)) reply(one, { response: { id: 1, key: 'A', value: '1' } });
  };
  const { url, close } = await startService(({ method }, response) => {
    if (method === 'GET') return reply(response, { response: [], pagination: null });
    seen.all += 1;
    if (seen.all === 1 && first === 'cut') return response.destroy();
    under.push(response);
    seen.most = Math.max(seen.most, under.length);
    void answerWhenQuiet();
  });
  onTestFinished(close);
  const uids = [1, 2, 3, 4, 5].map((nth) => String(nth).repeat(32));
  return { seen, words: ['-s', uids.join(',')], env: { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' } };
}

test.each([[['A=1']], [['A=1', 'B=2', 'C=3']]])(
  'of %j over five stacks no more than four are under way at once',
  async (pairs) => {
    const { seen, words, env } = await fiveStacks('answered');
    expect(await run(['stack', 'env', 'set', ...pairs, ...words], { env })).toMatchObject({ code: 0 });
    expect(seen.all).toBe(5 * pairs.length);
    expect(seen.most).toBeLessThanOrEqual(4);
  },
);

test('the first unknown outcome stops the other stacks too, unless --keep-going', async () => {
  const pairs = ['A=1', 'B=2', 'C=3', 'D=4', 'E=5', 'F=6'];
  const stopped = await fiveStacks('cut');
  const got = await run(['stack', 'env', 'set', ...pairs, ...stopped.words, '--json'], { env: stopped.env });
  expect(got.code).toBe(11);
  // What was made before shows another value, which is a warning.
  expect(JSON.parse(got.stderr.trimEnd().split('\n').at(-1) ?? '').error.code).toBe('outcome_unknown');
  expect(stopped.seen.all).toBeLessThanOrEqual(4 + 3);
  const going = await fiveStacks('cut');
  await run(['stack', 'env', 'set', ...pairs, ...going.words, '--keep-going'], { env: going.env });
  expect(going.seen.all).toBe(5 * 6);
});
