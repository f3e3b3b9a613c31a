import { expect, onTestFinished, test } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('the plan is shown and asked about; what is there already stays', () =>
  transcript(`
    $ stackops stack env copy CURRENCY MAIL_FROM --from shop -s blog/staging
    ! error: "stack env copy" needs -y (no terminal); nothing was changed
    ! hint: stackops stack env copy CURRENCY MAIL_FROM --from shop -s blog/staging -y
    = 2
    100$ stackops stack env copy CURRENCY MAIL_FROM --from shop -s blog/staging
    < y
    ! + CURRENCY  EUR
    ! + MAIL_FROM  orders@harbour.example
    ! The service may apply each change at once.
    ! Change variables of blog/staging (2 to create)? [y/N]
    ! undo: stackops stack env unset CURRENCY MAIL_FROM -s blog/staging
    CURRENCY created (EUR)
    MAIL_FROM created (orders@harbour.example)
    Running code may see each change at once, or only after the next deployment.
    100$ stackops stack env copy MAIL_FROM CURRENCY CURRENCY --from shop -s blog/staging
    2 unchanged
    $ stackops stack env copy APP_NAME --from shop -s blog/staging -y --json
    [{"key":"APP_NAME","change":"created","before":null,"after":"Harbour Books","action":null,"message":null,"error":null}]
  `));

test('a value that differs is replaced only with --overwrite', () =>
  transcript(`
    $ stackops stack env copy CURRENCY LOG_LEVEL NODE_ENV --from shop -s blog/staging -y
    ! error: LOG_LEVEL, NODE_ENV have another value already; nothing was changed
    ! hint: stackops stack env copy CURRENCY LOG_LEVEL NODE_ENV --from shop -s blog/staging -y --overwrite
    = 6
    $ stackops stack env copy CURRENCY LOG_LEVEL --from shop -s blog/staging -y
    ! error: LOG_LEVEL has another value already; nothing was changed
    ! hint: stackops stack env copy CURRENCY LOG_LEVEL --from shop -s blog/staging -y --overwrite
    = 6
    $ stackops stack env copy CURRENCY LOG_LEVEL --from shop -s blog/staging --overwrite -y
    ! undo: stackops stack env rollback LOG_LEVEL -s blog/staging && stackops stack env unset CURRENCY -s blog/staging
    CURRENCY created (EUR)
    LOG_LEVEL updated (debug -> info)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set LOG_LEVEL= -s shop --allow-empty -q
    $ stackops stack env copy LOG_LEVEL --from shop -s blog/staging --overwrite -y
    ! error: LOG_LEVEL has a value, and the new one is empty; nothing was changed
    ! hint: stackops stack env copy LOG_LEVEL --from shop --overwrite -s blog/staging -y --allow-empty
    = 2
    $ stackops stack env copy LOG_LEVEL --from shop -s blog/staging --overwrite -y --allow-empty
    ! undo: stackops stack env rollback LOG_LEVEL -s blog/staging
    LOG_LEVEL updated (info -> "")
    Running code may see this only after the next deployment.
  `));

test('--all leaves passwords out, and says so; --secrets and a name copy them, masked', () =>
  transcript(`
    $ stackops stack env copy --all --from shop -s blog/staging -y
    ! error: NODE_ENV, LOG_LEVEL have another value already; nothing was changed
    ! hint: stackops stack env copy --from shop --all -s blog/staging -y --overwrite
    = 6
    $ stackops stack env copy --all --from shop -s blog/staging --overwrite -n
    + RAILS_ENV  production
    + RACK_ENV  production
    ~ NODE_ENV  staging -> production
    ~ LOG_LEVEL  debug -> info
    + APP_NAME  Harbour Books
    + APP_HOST  shop.harbour.example
    + ASSET_HOST  https://assets.harbour.example
    + CDN_TTL_SECONDS  86400
    + CURRENCY  EUR
    + DEFAULT_LOCALE  en
    + SUPPORTED_LOCALES  en,de,fr,nl
    + TIME_ZONE  Europe/Amsterdam
    + WEB_CONCURRENCY  4
    + MAX_THREADS  5
    + WORKER_QUEUES  default,mailers,search
    + SESSION_TIMEOUT_MINUTES  30
    + CART_TTL_HOURS  72
    + CHECKOUT_V2  true
    + FREE_SHIPPING_FROM  45.00
    + GREETING  Hello "reader", mind the = signs
    + MAIL_FROM  orders@harbour.example
    + SMTP_HOST  smtp.harbour.example
    + SMTP_PORT  587
    + SMTP_USER  orders
    ! SMTP_PASSWORD  skipped: a password; --secrets copies it
    + PAYMENT_PROVIDER  paylane
    ! PAYMENT_SECRET  skipped: a password; --secrets copies it
    ! PAYMENT_WEBHOOK_SECRET  skipped: a password; --secrets copies it
    + SEARCH_URL  http://search.internal:9200
    + SEARCH_INDEX  books_v7
    + SENTRY_DSN  https://public@errors.harbour.example/7
    + FEATURE_RECOMMENDATIONS  false
    + ROBOTS  User-agent: *\\nDisallow: /checkout\\n
    ! SECRET_KEY_BASE  skipped: a password; --secrets copies it
    The service may apply each change at once.
    $ stackops stack env copy --all --secrets --from shop -s blog/staging --overwrite -n --jq '.[] | select(.after == "***").key'
    SMTP_PASSWORD
    PAYMENT_SECRET
    PAYMENT_WEBHOOK_SECRET
    SECRET_KEY_BASE
    $ stackops stack env copy SMTP_PASSWORD --from shop -s blog/staging -n
    + SMTP_PASSWORD  ***
    $ stackops stack env copy SMTP_PASSWORD --from shop -s blog/staging -n --curl
    ! replace *** before you run it
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"key":"SMTP_PASSWORD","value":"***"}' 'http://sandbox.localhost/api/3/stacks/a81b6c0d4e2f49738c5d6e7f80912a3b/environments'
    $ stackops stack env copy --all --from shop -s blog/staging --overwrite -y
    ! undo: stackops stack env rollback NODE_ENV LOG_LEVEL -s blog/staging && stackops stack env unset RAILS_ENV RACK_ENV APP_NAME APP_HOST ASSET_HOST CDN_TTL_SECONDS CURRENCY DEFAULT_LOCALE SUPPORTED_LOCALES TIME_ZONE WEB_CONCURRENCY MAX_THREADS WORKER_QUEUES SESSION_TIMEOUT_MINUTES CART_TTL_HOURS CHECKOUT_V2 FREE_SHIPPING_FROM GREETING MAIL_FROM SMTP_HOST SMTP_PORT SMTP_USER PAYMENT_PROVIDER SEARCH_URL SEARCH_INDEX SENTRY_DSN FEATURE_RECOMMENDATIONS ROBOTS -s blog/staging
    RAILS_ENV created (production)
    RACK_ENV created (production)
    NODE_ENV updated (staging -> production)
    LOG_LEVEL updated (debug -> info)
    APP_NAME created (Harbour Books)
    APP_HOST created (shop.harbour.example)
    ASSET_HOST created (https://assets.harbour.example)
    CDN_TTL_SECONDS created (86400)
    CURRENCY created (EUR)
    DEFAULT_LOCALE created (en)
    SUPPORTED_LOCALES created (en,de,fr,nl)
    TIME_ZONE created (Europe/Amsterdam)
    WEB_CONCURRENCY created (4)
    MAX_THREADS created (5)
    WORKER_QUEUES created (default,mailers,search)
    SESSION_TIMEOUT_MINUTES created (30)
    CART_TTL_HOURS created (72)
    CHECKOUT_V2 created (true)
    FREE_SHIPPING_FROM created (45.00)
    GREETING created (Hello "reader", mind the = signs)
    MAIL_FROM created (orders@harbour.example)
    SMTP_HOST created (smtp.harbour.example)
    SMTP_PORT created (587)
    SMTP_USER created (orders)
    PAYMENT_PROVIDER created (paylane)
    SEARCH_URL created (http://search.internal:9200)
    SEARCH_INDEX created (books_v7)
    SENTRY_DSN created (https://public@errors.harbour.example/7)
    FEATURE_RECOMMENDATIONS created (false)
    ROBOTS created (User-agent: *\\nDisallow: /checkout\\n)
    SMTP_PASSWORD skipped: a password; --secrets copies it
    PAYMENT_SECRET skipped: a password; --secrets copies it
    PAYMENT_WEBHOOK_SECRET skipped: a password; --secrets copies it
    SECRET_KEY_BASE skipped: a password; --secrets copies it
    Running code may see each change at once, or only after the next deployment.
  `));

test('what cannot be copied', () =>
  transcript(`
    $ stackops stack env copy --from shop -s blog/staging -y
    ! error: give the variables to copy, or --all
    = 2
    $ stackops stack env copy CURRENCY --all --from shop -s blog/staging -y
    ! error: give the variables to copy, or --all
    = 2
    $ stackops stack env copy CURRENCY --secrets --from shop -s blog/staging -y
    ! error: --secrets goes with --all; a password that is named is copied
    = 2
    $ stackops stack env copy CURRENCY --from shop/production -s shop -y
    ! error: --from and --stack name the same stack
    = 2
    $ stackops stack env copy CURRENCY --from shopp -s blog/staging -y
    ! error: stack "shopp" not found; did you mean "shop"?
    ! hint: stackops stack list
    = 3
    $ stackops stack env copy CURENCY --from shop -s blog/staging -y
    ! error: environment variable "CURENCY" not found; did you mean "CURRENCY"?
    ! hint: stackops stack env list -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    = 3
    $ stackops stack env set STACK_NAME=mine -s blog/staging
    ! undo: stackops stack env unset STACK_NAME -s blog/staging
    STACK_NAME created (mine)
    Running code may see this only after the next deployment.
    $ stackops stack env copy STACK_NAME CURRENCY --from blog/staging -s shop --overwrite -y
    ! error: environment variable "CURRENCY" not found
    ! hint: stackops stack env list -s a81b6c0d4e2f49738c5d6e7f80912a3b
    = 3
    $ stackops stack env copy CURRENCY --from shop -s blog/staging,blog/production -y
    ! error: "stack env copy" acts on one stack at a time; give -s one name
    = 2
  `));

test('a service that replies with actions', () =>
  transcript(
    `
    $ stackops stack env copy CURRENCY --from shop -s blog/staging -y
    ! undo: stackops action wait 812 -s blog/staging && stackops stack env unset CURRENCY -s blog/staging
    creating CURRENCY (action 812, queued): EUR
    Running code may see this only after the next deployment.
    +60s
    $ stackops stack env copy CURRENCY MAIL_FROM --from shop -s blog/staging -y --wait
    ! 12:01:00 action 813: started
    ! 12:01:05 action 813: succeeded: Done.
    ! undo: stackops stack env unset MAIL_FROM -s blog/staging
    CURRENCY unchanged (EUR)
    MAIL_FROM created (orders@harbour.example)
    Running code may see this only after the next deployment.
    `,
    {},
    { replies: 'actions' },
  ));

test('what a service sends instead of a password is never copied', async () => {
  const state = seedState(seedMoment);
  const password = state.stacks[0]?.variables.find(({ key }) => key === 'SMTP_PASSWORD');
  Object.assign(password ?? {}, { value: '********' });
  const sandbox = await startSandbox({ state });
  onTestFinished(() => sandbox.close());
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  const copy = ['stack', 'env', 'copy', '--from', 'shop', '-s', 'blog/staging', '-y'];
  const refused = {
    code: 6,
    stdout: '',
    stderr:
      'error: one variable cannot be changed; nothing was changed\n' +
      '       SMTP_PASSWORD: the service sends *** instead of its value\n',
  };
  expect(await run([...copy, 'SMTP_PASSWORD'], { env })).toEqual(refused);
  expect(await run([...copy, '--all', '--secrets', '--overwrite'], { env })).toEqual(refused);
  expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a password stays masked whatever its name is, before the target knows that it is one', async () => {
  const state = seedState(seedMoment);
  const renamed = state.stacks[0]?.variables.find(({ key }) => key === 'SMTP_PASSWORD');
  Object.assign(renamed ?? {}, { key: 'PIN', value: '12345678' });
  const sandbox = await startSandbox({ state });
  onTestFinished(() => sandbox.close());
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  const copy = ['stack', 'env', 'copy', 'PIN', '--from', 'shop', '-s', 'blog/staging', '-y'];
  expect(await run([...copy, '-n'], { env })).toEqual({ code: 0, stdout: '+ PIN  ***\n', stderr: '' });
  const curl = await run([...copy, '--curl'], { env });
  expect(curl.stdout).toContain('"value":"***"');
  expect(await run([...copy, '--json'], { env })).toMatchObject({
    code: 0,
    stdout:
      '[{"key":"PIN","change":"created","before":null,"after":"***","action":null,"message":null,"error":null}]\n',
  });
  expect(sandbox.requests.findLast(({ method }) => method === 'POST')?.body).toContain('12345678');
});
