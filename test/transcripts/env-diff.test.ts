import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('the stack is on the left, the file on the right', () =>
  transcript(`
    $ stackops stack env diff test/transcripts/staging.env -s blog/staging
    ! 2 only in the stack; --all lists them
    CURRENCY⇥added⇥-⇥EUR
    NEW_FLAG⇥added⇥-⇥1
    API_SECRET⇥added⇥-⇥***
    80$ stackops stack env diff test/transcripts/staging.env -s blog/staging
    ! 2 only in the stack; --all lists them
    KEY         CHANGE  STACK  FILE
    CURRENCY    added   -      EUR
    NEW_FLAG    added   -      1
    API_SECRET  added   -      ***
    80$ stackops stack env diff test/transcripts/staging.env -s blog/staging --all --reveal
    KEY         CHANGE   STACK                                 FILE
    NODE_ENV    removed  staging                               -
    SITE_URL    removed  https://blog.staging.harbour.example  -
    CURRENCY    added    -                                     EUR
    NEW_FLAG    added    -                                     1
    API_SECRET  added    -                                     made up
    $ stackops stack env diff test/transcripts/staging.env -s blog/staging --all --json
    [{"key":"NODE_ENV","change":"removed","left":"staging","right":null},{"key":"SITE_URL","change":"removed","left":"https://blog.staging.harbour.example","right":null},{"key":"CURRENCY","change":"added","left":null,"right":"EUR"},{"key":"NEW_FLAG","change":"added","left":null,"right":"1"},{"key":"API_SECRET","change":"added","left":null,"right":"***"}]
    $ stackops stack env import test/transcripts/staging.env --prune -s blog/staging --confirm blog/staging -q
    $ stackops stack env diff test/transcripts/staging.env -s blog/staging --exit-code --all
    ! No variable of the file differs.
  `));

test('--keys-only prints no value', () =>
  transcript(`
    80$ stackops stack env diff test/transcripts/staging.env -s blog/staging --keys-only
    ! 2 only in the stack; --all lists them
    KEY         CHANGE
    CURRENCY    added
    NEW_FLAG    added
    API_SECRET  added
    $ stackops stack env diff test/transcripts/staging.env -s blog/staging --keys-only --all
    NODE_ENV⇥removed
    SITE_URL⇥removed
    CURRENCY⇥added
    NEW_FLAG⇥added
    API_SECRET⇥added
    $ stackops stack env diff test/transcripts/staging.env -s blog/staging --keys-only --all --json
    [{"key":"NODE_ENV","change":"removed"},{"key":"SITE_URL","change":"removed"},{"key":"CURRENCY","change":"added"},{"key":"NEW_FLAG","change":"added"},{"key":"API_SECRET","change":"added"}]
  `));

test('--exit-code is 10 where something differs', () =>
  transcript(`
    $ stackops stack env diff - -s blog/staging --exit-code
    < NODE_ENV=staging
    < SITE_URL=https://blog.staging.harbour.example
    < LOG_LEVEL=trace
    ! error: one variable differs
    LOG_LEVEL⇥changed⇥debug⇥trace
    = 10
    $ stackops stack env diff - -s blog/staging --exit-code --json
    < NODE_ENV=staging
    < SITE_URL=https://blog.staging.harbour.example
    < LOG_LEVEL=trace
    < NEW=1
    ! {"error":{"code":"differs","message":"2 variables differ","status":null,"hint":null,"exit_code":10,"operation":null,"request_id":null}}
    [{"key":"LOG_LEVEL","change":"changed","left":"debug","right":"trace"},{"key":"NEW","change":"added","left":null,"right":"1"}]
    = 10
    $ stackops stack env diff - -s blog/staging --exit-code
    < LOG_LEVEL=debug
    < NODE_ENV='staging'
    < SITE_URL=https://blog.staging.harbour.example
    ! No variable of the file differs.
  `));

test('two stacks: what the service itself sets is not compared', () =>
  transcript(`
    80$ stackops stack env diff --with-stack blog/production -s blog/staging
    KEY        CHANGE   STACK                          OTHER
    NODE_ENV   changed  staging                        production
    SITE_URL   changed  https://blog.staging.harbour…  https://blog.production.harb…
    LOG_LEVEL  changed  debug                          info
    $ stackops stack env diff --with-stack shop -s blog/staging --keys-only --jq '.[] | select(.change == "changed").key'
    NODE_ENV
    LOG_LEVEL
    $ stackops stack env diff --with-stack blog/staging -s shop --jq '.[] | select(.left == "***").key'
    SMTP_PASSWORD
    PAYMENT_SECRET
    PAYMENT_WEBHOOK_SECRET
    SECRET_KEY_BASE
    $ stackops stack env diff --with-stack blog/staging -s blog/staging --exit-code
    ! No variable differs.
  `));

test('a read-only variable is compared where the file has it', () =>
  transcript(`
    $ stackops stack env diff - -s shop --json
    < STACK_NAME=other
    ! {"note":"34 only in the stack; --all lists them"}
    [{"key":"STACK_NAME","change":"changed","left":"shop","right":"other"}]
  `));

test('the exit code follows the rows that are listed', () =>
  transcript(`
    $ stackops stack env diff - -s blog/staging --exit-code
    < NODE_ENV=staging
    ! 2 only in the stack; --all lists them
    ! No variable of the file differs.
    $ stackops stack env diff - -s blog/staging --exit-code --all --where change=removed
    < NODE_ENV=production
    ! error: 2 variables differ
    SITE_URL⇥removed⇥https://blog.staging.harbour.example⇥-
    LOG_LEVEL⇥removed⇥debug⇥-
    = 10
    $ stackops stack env diff - -s blog/staging --exit-code --where change=removed
    < NODE_ENV=production
    ! 2 only in the stack; --all lists them
    ! No differences match --where.
  `));

test('over several stacks it follows them too, also where --where is about the stack', () =>
  transcript(`
    $ stackops stack env diff - -s blog/staging,blog/production --exit-code --where stack=blog/staging
    < NODE_ENV=staging
    ! 2 only in the stack; --all lists them
    ! 2 only in the stack; --all lists them
    ! No differences match --where.
    $ stackops stack env diff - -s blog/staging,blog/production --exit-code --where stack=blog/production
    < NODE_ENV=staging
    ! 2 only in the stack; --all lists them
    ! 2 only in the stack; --all lists them
    ! error: blog/production: one variable differs. blog/staging succeeded.
    blog/production⇥NODE_ENV⇥changed⇥production⇥staging
    = 10
    $ stackops stack env diff - -s blog/staging,blog/production --exit-code
    < NODE_ENV=production
    ! 2 only in the stack; --all lists them
    ! 2 only in the stack; --all lists them
    ! error: blog/staging: one variable differs. blog/production succeeded.
    blog/staging⇥NODE_ENV⇥changed⇥staging⇥production
    = 10
  `));

test('what cannot be compared', () =>
  transcript(`
    $ stackops stack env diff -s shop
    ! error: give one of: a file, --with-stack, --since-deployment
    = 2
    $ stackops stack env diff test/transcripts/staging.env --with-stack blog/staging -s shop
    ! error: give one of: a file, --with-stack, --since-deployment
    = 2
    $ stackops stack env diff --with-stack blog/staging --all -s shop
    ! error: --all goes with a file
    = 2
    $ stackops stack env diff --with-stack blogg/staging -s shop
    ! error: stack "blogg/staging" not found; did you mean "blog/staging"?
    ! hint: stackops stack list
    = 3
    $ stackops stack env diff - -s shop
    < A=1
    < not a variable
    ! error: stdin line 2: expected KEY=VALUE
    = 2
  `));

test('a value that the service hides differs from nothing', async () => {
  const rows = [
    { key: 'API_PASSWORD', value: '******', is_password: true },
    { key: 'LEVEL', value: 'info', is_password: false },
  ];
  const service = await startService((_, response) => reply(response, { response: rows, pagination: { next: null } }));
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'a-token-of-this-test' };
  const words = ['stack', 'env', 'diff', '-', '--exit-code', '-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
  for (const stdin of ['LEVEL=info\n', 'API_PASSWORD=real\nLEVEL=info\n']) {
    expect(await run(words, { env, stdin })).toEqual({
      code: 0,
      stdout: '',
      stderr:
        'warning: left out, because the service sends *** instead of the value: API_PASSWORD\nNo variable of the file differs.\n',
    });
  }
});
