import { expect, onTestFinished, test } from 'vitest';
import { parseFault } from '../../src/sandbox/server/faults.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('one deployment follows the changes; where nothing changes, none does', () =>
  transcript(`
    100$ stackops stack env import test/transcripts/staging.env -s shop --redeploy
    < y
    ! ~ LOG_LEVEL  info -> debug
    ! + NEW_FLAG  1
    ! + API_SECRET  *** (7 characters)
    ! = 1 unchanged
    ! The service may apply each change at once.
    ! Then the stack is redeployed once.
    ! Change variables of shop/production (2 to create, 1 to change, then redeploy)? [y/N]
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset NEW_FLAG API_SECRET -s shop
    LOG_LEVEL updated (info -> debug)
    CURRENCY unchanged (EUR)
    NEW_FLAG created (1)
    API_SECRET created (*** (7 characters))
    deployment 1042 queued: Stack shop queued for redeployment
    $ stackops stack env import test/transcripts/staging.env -s shop --redeploy
    4 unchanged
    $ stackops stack env copy CURRENCY --from shop -s blog/staging --redeploy -n
    + CURRENCY  EUR
    Then the stack is redeployed once.
  `));

test('set asks only with --redeploy', () =>
  transcript(`
    100$ stackops stack env set LOG_LEVEL=debug CURRENCY=EUR A=1 -s shop --redeploy
    < y
    ! Set variables and redeploy shop/production (LOG_LEVEL, A)? [y/N]
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset A -s shop
    LOG_LEVEL updated (info -> debug)
    CURRENCY unchanged (EUR)
    A created (1)
    deployment 1042 queued: Stack shop queued for redeployment
    $ stackops stack env set LOG_LEVEL=trace -s shop --redeploy --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL
    Content-Type: application/json

    {"value":"trace"}

    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments
    Content-Type: application/json

    {"user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    $ stackops stack env set LOG_LEVEL=trace -s shop --redeploy -y --json --jq '.[] | [.key, .id, .change]'
    ["LOG_LEVEL",null,"updated"]
    [null,1043,"queued"]
    $ stackops stack env set LOG_LEVEL=debug -s shop --redeploy -y -q --poll 2s --wait-timeout 1m
    $ stackops stack env set LOG_LEVEL=debug -s shop --poll 2s
    ! error: --poll needs --wait
    ! hint: stackops stack env set LOG_LEVEL -s shop --poll 2s --stdin --wait
    = 2
  `));

test('--wait waits for the deployment', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug --redeploy --wait -y -s shop
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: success
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL updated (info -> debug)
    deployment 1042 succeeded after 4s: commit d9a2ece
    Previously live: deployment 1041, commit d8b847d
    $ stackops stack env set LOG_LEVEL=info CURRENCY=EUR -s shop,blog/staging --redeploy --wait -y
    ! 12:00:05 shop: deployment 1043: queued
    ! 12:00:10 blog/staging: deployment 1044: queued
    ! 12:00:15 shop: deployment 1043: success
    ! 12:00:15 blog/staging: deployment 1044: success
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env rollback LOG_LEVEL -s blog/staging && stackops stack env unset CURRENCY -s blog/staging
    shop: LOG_LEVEL updated (debug -> info)
    shop: CURRENCY unchanged (EUR)
    blog/staging: LOG_LEVEL updated (debug -> info)
    blog/staging: CURRENCY created (EUR)
    shop: deployment 1043 succeeded after 4s: commit 967009b
    shop: Previously live: deployment 1042, commit d9a2ece
    blog/staging: deployment 1044 succeeded after 4s: commit 3ab3f4e
    blog/staging: Previously live: deployment 1035, commit 2ad3480
  `));

test('a service that replies with actions', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop --redeploy --wait -y
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: succeeded: Done.
    ! 12:00:05 deployment 1042: queued
    ! 12:00:10 deployment 1042: success
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL updated (info -> debug)
    deployment 1042 succeeded after 4s: commit d9a2ece
    Previously live: deployment 1041, commit d8b847d
    `,
    {},
    { replies: 'actions' },
  ));

test('a deployment is requested when the actions of the variables have ended', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug NEW_FLAG=1 -s shop --redeploy -y
    ! 12:00:00 action 812: started
    ! 12:00:05 action 813: started
    ! 12:00:10 action 812: succeeded: Done.
    ! 12:00:10 action 813: succeeded: Done.
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset NEW_FLAG -s shop
    LOG_LEVEL updated (info -> debug)
    NEW_FLAG created (1)
    starting deployment (action 814, queued): Stack shop queued for redeployment
    $ stackops action list -s shop --limit 3 --columns action,finished_success
    deploy⇥-
    env-var-new⇥yes
    env-var-update⇥yes
    $ stackops stack env set LOG_LEVEL=trace -s shop --redeploy -y --json --jq '.[] | [.key, .change, .action.finished_success]'
    ["LOG_LEVEL","updated",true]
    [null,"queued",null]
    $ stackops stack env set LOG_LEVEL=info -s shop --redeploy -y --wait --wait-timeout 1s
    ! 12:00:15 action 817: started
    ! undo: stackops action wait 817 -s shop && stackops stack env rollback LOG_LEVEL -s shop
    ! error: action 817 has not finished after 1s (started); it continues
    ! hint: stackops action wait 817 -s shop
    updating LOG_LEVEL (action 817, queued): trace -> info
    Not redeployed: a change has not finished.
    = 8
    $ stackops deployment list -s shop --limit 1 --columns id
    1043
    `,
    {},
    { replies: 'actions' },
  ));

test('after an action that failed nothing is deployed', () =>
  transcript(
    `
    $ stackops stack env set LOG_LEVEL=debug -s shop --redeploy -y
    ! 12:00:00 action 812: started
    ! 12:00:05 action 812: failed: Simulated failure.
    ! error: action 812 failed: Simulated failure.
    updating LOG_LEVEL (action 812, failed)
    Not redeployed: a change failed.
    = 9
    $ stackops deployment list -s shop --limit 1 --columns id
    1041
    `,
    {},
    { replies: 'actions', failActions: true },
  ));

async function served(...faults: readonly string[]) {
  const sandbox = await startSandbox({ faults: faults.map(parseFault) });
  onTestFinished(() => sandbox.close());
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  return {
    env,
    posted: () => sandbox.requests.filter(({ method, path }) => method === 'POST' && /deployments$/.test(path)).length,
  };
}

const set = ['stack', 'env', 'set', 'LOG_LEVEL=debug', 'CURRENCY=USD', '-s', 'shop', '--redeploy', '-y'];

test('without a terminal --redeploy needs -y', async () => {
  const { env, posted } = await served();
  const { code, stderr } = await run(set.slice(0, -1), { env });
  expect([code, posted()]).toEqual([2, 0]);
  expect(stderr).toContain('"stack env set" needs -y (no terminal); nothing was changed\n');
});

test('after a change that failed nothing is deployed, also with --keep-going', async () => {
  const { env, posted } = await served('PUT /stacks/*/environments/LOG_LEVEL=400');
  const { code, stdout } = await run([...set, '--keep-going'], { env });
  expect([code, posted()]).toEqual([1, 0]);
  expect(stdout).toBe('updating LOG_LEVEL (failed)\nCURRENCY updated (EUR -> USD)\nNot redeployed: a change failed.\n');
});

test('a deployment that is refused is a failure in part, and what was changed is shown with its undo', async () => {
  const { env, posted } = await served('POST /stacks/*/deployments=400');
  expect(await run(set, { env })).toEqual({
    code: 1,
    stdout: 'LOG_LEVEL updated (info -> debug)\nCURRENCY updated (EUR -> USD)\n',
    stderr:
      'undo: stackops stack env rollback LOG_LEVEL CURRENCY -s shop\n' +
      'error: the service refused the request (400): simulated failure (400). The changes before it were made.\n',
  });
  expect(posted()).toBe(1);
});

test('one stack that fails keeps the others from being deployed', async () => {
  const { env, posted } = await served('POST /stacks/a81b6c0d4e2f49738c5d6e7f80912a3b/environments=400');
  const { code, stdout } = await run([...set, '-s', 'shop,blog/staging', '--keep-going'], { env });
  expect([code, posted()]).toEqual([1, 0]);
  expect(stdout).toContain('blog/staging: Not redeployed: a change failed.\n');
});

test('a deployment that may have started is 11', async () => {
  const { env } = await served('POST /stacks/*/deployments=503');
  const { code, stdout, stderr } = await run([...set, '--json'], { env });
  expect([code, JSON.parse(stdout).length]).toEqual([11, 2]);
  expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({
    error: { code: 'outcome_unknown', exit_code: 11 },
  });
});
