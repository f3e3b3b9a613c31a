import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('--pending lists what was changed since the live deployment began', () =>
  transcript(`
    $ stackops stack env list --pending -s shop --fields key
    ! No environment variables.
    $ stackops stack env set LOG_LEVEL=debug NEW_FLAG=1 -s shop -q
    +60s
    $ stackops stack env list --pending -s shop --fields key,updated_at
    LOG_LEVEL⇥2026-05-04T12:00:00Z
    NEW_FLAG⇥2026-05-04T12:00:00Z
    $ stackops stack env list --pending -s shop,blog/staging --fields stack,key --json
    [{"stack":"shop","key":"LOG_LEVEL"},{"stack":"shop","key":"NEW_FLAG"}]
    $ stackops redeploy -s shop -y -q --wait
    $ stackops stack env list --pending -s shop
    ! No environment variables.
    80$ stackops stack env list --pending -s shop
    ! No environment variables.
    $ stackops stack env list --pending -s shop --json
    []
    $ stackops stack env list -s shop --limit 2 --fields key
    RAILS_ENV
    RACK_ENV
  `));

test('--since-deployment compares the values of then and now', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug NEW_FLAG=1 SMTP_PASSWORD=new CURRENCY=USD -s shop -q
    $ stackops stack env set CURRENCY=EUR -s shop -q
    $ stackops stack env list --pending -s shop --fields key
    LOG_LEVEL
    SMTP_PASSWORD
    NEW_FLAG
    $ stackops status -s shop --only pending --jq '.pending[].key'
    LOG_LEVEL
    SMTP_PASSWORD
    NEW_FLAG
    80$ stackops stack env diff --since-deployment live -s shop
    KEY            CHANGE   LIVE  NOW
    LOG_LEVEL      changed  info  debug
    SMTP_PASSWORD  changed  ***   ***
    NEW_FLAG       added    -     1
    $ stackops stack env diff --since-deployment -s shop --keys-only --exit-code
    ! error: 3 variables differ
    LOG_LEVEL⇥changed
    SMTP_PASSWORD⇥changed
    NEW_FLAG⇥added
    = 10
    80$ stackops stack env diff --since-deployment 1041 -s shop --where key=NEW_FLAG
    KEY       CHANGE  THEN  NOW
    NEW_FLAG  added   -     1
    $ stackops stack env diff --since-deployment 1041 -s shop --json
    [{"key":"LOG_LEVEL","change":"changed","left":"info","right":"debug"},{"key":"SMTP_PASSWORD","change":"changed","left":"***","right":"***"},{"key":"NEW_FLAG","change":"added","left":null,"right":"1"}]
    $ stackops stack env diff --since-deployment 4711 -s shop
    ! error: deployment 4711 not found in shop/production
    ! hint: stackops deployment list -s shop
    = 3
    $ stackops stack env diff --since-deployment last -s shop
    ! error: --since-deployment must be an ID or live, not "last"
    = 2
    $ stackops stack env diff --since-deployment live --with-stack blog/staging -s shop
    ! error: give one of: a file, --with-stack, --since-deployment
    = 2
    +60s
    $ stackops redeploy -s shop -y -q --wait
    $ stackops stack env diff --since-deployment live -s shop --exit-code
    ! No variable differs.
    $ stackops stack env diff --since-deployment 1041 -s shop --fields key
    LOG_LEVEL
    SMTP_PASSWORD
    NEW_FLAG
  `));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test.each([
  ['none of the newest 1 deployments is live', [{ id: 7, is_live: false }]],
  ['no deployment', []],
])('no deployment is live: %s', async (said, deployments) => {
  const service = await startService(({ path }, response) =>
    reply(response, {
      response: path.includes('deployments') ? deployments : [],
      pagination: { next: null },
    }),
  );
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'a-token-of-this-test' };
  expect(await run(['stack', 'env', 'list', '--pending', '-s', uid], { env })).toEqual({
    code: 3,
    stdout: '',
    stderr: `error: ${said}\nhint: stackops deployment list -s ${uid}\n`,
  });
});

test('the live deployment does not say when it began', async () => {
  const service = await startService(({ path }, response) =>
    reply(response, {
      response: path.includes('deployments') ? [{ id: 7, is_live: true, started_at: null }] : [],
      pagination: { next: null },
    }),
  );
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'a-token-of-this-test' };
  const { code, stderr } = await run(['stack', 'env', 'list', '--pending', '-s', uid], { env });
  expect([code, stderr]).toEqual([7, 'error: the service does not say when deployment 7 began\n']);
});
