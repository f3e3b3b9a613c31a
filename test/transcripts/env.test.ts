import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('variables are listed over all pages, in the order of the service', () =>
  transcript(`
    $ stackops stack env list -s shop -q
    RAILS_ENV
    RACK_ENV
    NODE_ENV
    LOG_LEVEL
    APP_NAME
    APP_HOST
    ASSET_HOST
    CDN_TTL_SECONDS
    CURRENCY
    DEFAULT_LOCALE
    SUPPORTED_LOCALES
    TIME_ZONE
    WEB_CONCURRENCY
    MAX_THREADS
    WORKER_QUEUES
    SESSION_TIMEOUT_MINUTES
    CART_TTL_HOURS
    CHECKOUT_V2
    FREE_SHIPPING_FROM
    GREETING
    MAIL_FROM
    SMTP_HOST
    SMTP_PORT
    SMTP_USER
    SMTP_PASSWORD
    PAYMENT_PROVIDER
    PAYMENT_SECRET
    PAYMENT_WEBHOOK_SECRET
    SEARCH_URL
    SEARCH_INDEX
    SENTRY_DSN
    FEATURE_RECOMMENDATIONS
    ROBOTS
    SECRET_KEY_BASE
    STACK_NAME
    STACK_ENVIRONMENT
    POSTGRESQL_ADDRESS
    REDIS_ADDRESS
  `));

test('passwords are masked for people and given to programs', () =>
  transcript(`
    80$ stackops stack env list -s shop --sort -key --limit 4
    ! 4 of 38 environment variables.
    KEY                VALUE                   READ-ONLY  UPDATED
    WORKER_QUEUES      default,mailers,search  no         182d ago
    WEB_CONCURRENCY    4                       no         182d ago
    TIME_ZONE          Europe/Amsterdam        no         182d ago
    SUPPORTED_LOCALES  en,de,fr,nl             no         182d ago
  `));

test('one value is printed bare', () =>
  transcript(`
    $ stackops stack env get GREETING -s shop
    Hello "reader", mind the = signs
    80$ stackops stack env get SMTP_PASSWORD -s shop
    sandbox-smtp-password
    $ stackops stack env get ROBOTS -s shop
    User-agent: *
    Disallow: /checkout

    $ stackops stack env get LOG_LEVEL -s shop --json --fields value,history.value
    {"value":"info","history":[{"value":"warn"},{"value":"debug"}]}
    $ stackops stack env get LOGLEVEL -s shop
    ! error: environment variable "LOGLEVEL" not found; did you mean "LOG_LEVEL"?
    ! hint: stackops stack env list -s shop
    = 3
    $ stackops stack env get ZZZ -s shop
    ! error: environment variable "ZZZ" not found
    ! hint: stackops stack env list -s shop
    = 3
    $ stackops stack env get -s shop
    ! error: missing argument <KEY>
    ! hint: stackops stack env get --help
    = 2
    $ stackops stack env get A B -s shop
    ! error: unexpected argument "B"
    ! hint: stackops stack env get --help
    = 2
    $ stackops stack env get A B
    ! error: unexpected argument "B"
    ! hint: stackops stack env get --help
    = 2
  `));

test('set creates, updates and leaves alone', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug NEW_FLAG=1 CURRENCY=EUR -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset NEW_FLAG -s shop
    LOG_LEVEL updated (info -> debug)
    NEW_FLAG created (1)
    CURRENCY unchanged (EUR)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set NEW_FLAG=1 -s shop
    NEW_FLAG unchanged (1)
    $ stackops stack env set NEW_FLAG=2 -s shop -q
    $ stackops stack env get NEW_FLAG -s shop
    2
    $ stackops stack env set NEW_FLAG=2 OTHER= -s shop --json
    [{"key":"NEW_FLAG","change":"unchanged","before":"2","after":"2","action":null,"message":null,"error":null},{"key":"OTHER","change":"created","before":null,"after":"","action":null,"message":null,"error":null}]
  `));

test('secrets are not shown, and long values are cut', () =>
  transcript(String.raw`
    $ stackops stack env set SMTP_PASSWORD=correct-horse LOG_LEVEL=x -s shop
    ! undo: stackops stack env rollback SMTP_PASSWORD LOG_LEVEL -s shop
    SMTP_PASSWORD updated (*** -> ***)
    LOG_LEVEL updated (info -> x)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set API_TOKEN=abc -s shop
    ! undo: stackops stack env unset API_TOKEN -s shop
    API_TOKEN created (***)
    Running code may see this only after the next deployment.
    80$ stackops stack env set API_TOKEN=abcd -s shop
    ! undo: stackops stack env rollback API_TOKEN -s shop
    API_TOKEN updated (*** (3 characters) -> *** (4 characters))
    Running code may see this only after the next deployment.
    80$ stackops stack env set API_TOKEN=e -s shop,blog/staging
    ! undo: stackops stack env rollback API_TOKEN -s shop && stackops stack env unset API_TOKEN -s blog/staging
    shop: API_TOKEN updated (*** (4 characters) -> *** (1 character))
    blog/staging: API_TOKEN created (*** (1 character))
    Running code may see this only after the next deployment.
    $ stackops stack env set 'DATABASE_URL=postgres://shop:hunter2@db/shop' -s shop
    ! undo: stackops stack env unset DATABASE_URL -s shop
    DATABASE_URL created (***)
    Running code may see this only after the next deployment.
    $ stackops stack env set 'DATABASE_URL=postgres://db/shop' -s shop
    ! undo: stackops stack env rollback DATABASE_URL -s shop
    DATABASE_URL updated (*** -> ***)
    Running code may see this only after the next deployment.
    $ stackops stack env set MOTTO=0123456789012345678901234567890123456789 -s shop
    ! undo: stackops stack env unset MOTTO -s shop
    MOTTO created (0123456789012345678901234567890123456789)
    Running code may see this only after the next deployment.
    $ stackops stack env set MOTTO=01234567890123456789012345678901234567890 -s shop
    ! undo: stackops stack env rollback MOTTO -s shop
    MOTTO updated (0123456789012345678901234567890123456789 -> 012345678901234567890123456789012345678…)
    Running code may see this only after the next deployment.
    $ stackops stack env set 'ROBOTS=User-agent: x\n' MOTTO= -s shop --allow-empty
    ! undo: stackops stack env rollback ROBOTS MOTTO -s shop
    ROBOTS updated (User-agent: *\nDisallow: /checkout\n -> User-agent: x\n)
    MOTTO updated (012345678901234567890123456789012345678… -> "")
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set SMTP_PASSWORD=a LOG_LEVEL=info -s shop --json
    [{"key":"SMTP_PASSWORD","change":"updated","before":"***","after":"***","action":null,"message":null,"error":null},{"key":"LOG_LEVEL","change":"updated","before":"x","after":"info","action":null,"message":null,"error":null}]
    $ stackops stack env unset SMTP_PASSWORD MOTTO DATABASE_URL -s shop -y
    ! undo: stackops stack env set MOTTO= DATABASE_URL=postgres://db/shop -s shop
    SMTP_PASSWORD deleted (was ***; no undo)
    MOTTO deleted (was "")
    DATABASE_URL deleted (was postgres://db/shop)
    Running code may see each change at once, or only after the next deployment.
  `));

test('undo is one line, whatever was done', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug CURRENCY=USD A=1 B=2 -s shop
    ! undo: stackops stack env rollback LOG_LEVEL CURRENCY -s shop && stackops stack env unset A B -s shop
    LOG_LEVEL updated (info -> debug)
    CURRENCY updated (EUR -> USD)
    A created (1)
    B created (2)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env rollback LOG_LEVEL CURRENCY -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    ! undo: stackops stack env rollback LOG_LEVEL CURRENCY -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    LOG_LEVEL rolled back (debug -> info)
    CURRENCY rolled back (USD -> EUR)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env unset A B -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60 -y
    ! undo: stackops stack env set A=1 B=2 -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    A deleted (was 1)
    B deleted (was 2)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set LOG_LEVEL=debug A=1 -s shop --sandbox -p sandbox
    ! undo: stackops stack env rollback LOG_LEVEL -s shop --sandbox -p sandbox && stackops stack env unset A -s shop --sandbox -p sandbox
    LOG_LEVEL updated (info -> debug)
    A created (1)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set it\\'s=1 -s shop
    ! undo: stackops stack env unset 'it'\\''s' -s shop
    it's created (1)
    Running code may see this only after the next deployment.
  `));

test('values travel unaltered', () =>
  transcript(String.raw`
    $ stackops stack env set -s shop -- -X=1 Y=2
    ! undo: stackops stack env unset -s shop -- -X Y
    -X created (1)
    Y created (2)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env set 'A=x=y "q"  z' B=it\'s 'C=line\nline\n' 'D=$HOME $(w)' -s shop
    ! undo: stackops stack env unset A B C D -s shop
    A created (x=y "q"  z)
    B created (it's)
    C created (line\nline\n)
    D created ($HOME $(w))
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env get A -s shop
    x=y "q"  z
    $ stackops stack env get B -s shop
    it's
    $ stackops stack env get C -s shop
    line
    line

    $ stackops stack env get D -s shop
    $HOME $(w)
  `));

test('a value comes from stdin', () =>
  transcript(String.raw`
    $ stackops stack env set API_SECRET --stdin -s shop
    < hunter2
    ! undo: stackops stack env unset API_SECRET -s shop
    API_SECRET created (***)
    Running code may see this only after the next deployment.
    $ stackops stack env get API_SECRET -s shop
    hunter2
    $ stackops stack env set API_SECRET --stdin --raw -s shop
    < hunter2
    ! undo: stackops stack env rollback API_SECRET -s shop
    API_SECRET updated (*** -> ***)
    Running code may see this only after the next deployment.
    $ stackops stack env get API_SECRET -s shop --json --fields value
    {"value":"hunter2\n"}
  `));

test('a value from stdin is no part of JSON either, unless secrets are asked for', () =>
  transcript(`
    $ stackops stack env set MOTTO --stdin -s shop --json
    < hunter2
    [{"key":"MOTTO","change":"created","before":null,"after":"***","action":null,"message":null,"error":null}]
    $ stackops stack env set MOTTO --stdin -s shop --json --reveal
    < hunter3
    [{"key":"MOTTO","change":"updated","before":"hunter2","after":"hunter3","action":null,"message":null,"error":null}]
    $ stackops stack env unset SMTP_PASSWORD -s shop -y --json --fields before,after
    [{"before":"***","after":null}]
  `));

test('--dry-run does not print a value from stdin', () =>
  transcript(`
    $ stackops stack env set API_SECRET --stdin -s shop --dry-run
    < hunter2
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments
    Content-Type: application/json

    {"key":"API_SECRET","value":"***"}
    $ stackops stack env set API_SECRET --stdin -s shop --curl
    < hunter2
    ! replace *** before you run it
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"key":"API_SECRET","value":"***"}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments'
  `));

test('a value from stdin goes to each of several stacks', () =>
  transcript(`
    $ stackops stack env set MOTTO --stdin -s shop,blog/staging
    < hunter2
    ! undo: stackops stack env unset MOTTO -s shop && stackops stack env unset MOTTO -s blog/staging
    shop: MOTTO created (***)
    blog/staging: MOTTO created (***)
    Running code may see this only after the next deployment.
    $ stackops stack env get MOTTO -s blog/staging
    hunter2
  `));

test('an empty value from stdin is refused unless it is meant', () =>
  transcript(`
    $ stackops stack env set API_SECRET --stdin -s shop
    ! error: the value read for API_SECRET is empty; nothing was changed
    ! hint: stackops stack env set API_SECRET --stdin -s shop --allow-empty
    = 2
    $ stackops stack env set API_SECRET --stdin -s shop --allow-empty
    ! undo: stackops stack env unset API_SECRET -s shop
    API_SECRET created (***)
    Running code may see this only after the next deployment.
    $ stackops stack env get API_SECRET -s shop

    $ stackops stack env set API_SECRET= -s shop
    API_SECRET unchanged (***)
  `));

test('a file that cannot be read', () =>
  transcript(`
    $ stackops stack env set NOTE --from-file /nowhere/key.pem -s shop
    ! error: cannot read /nowhere/key.pem: file not found
    = 2
    $ stackops stack env set NOTE --from-file / -s shop
    ! error: cannot read /: it is a folder
    = 2
  `));

test('set refuses what it cannot mean', () =>
  transcript(`
    $ stackops stack env set -s shop
    ! error: missing argument <KEY=VALUE...>
    ! hint: stackops stack env set --help
    = 2
    $ stackops stack env set LOG_LEVEL -s shop
    ! error: "LOG_LEVEL" has no "=": write LOG_LEVEL=VALUE
    ! hint: stackops stack env set LOG_LEVEL -s shop --stdin
    = 2
    $ stackops stack env set A=1 LOG_LEVEL -s shop
    ! error: "LOG_LEVEL" has no "=": write LOG_LEVEL=VALUE
    = 2
    $ stackops stack env set =1 -s shop
    ! error: "=1" has no environment variable name: write KEY=1
    = 2
    $ stackops stack env set A=1 A=2 -s shop
    ! error: A is given twice with different values
    = 2
    $ stackops stack env set A=1 --stdin -s shop
    ! error: --stdin and --from-file set one variable: give only its name, not "A=1"
    = 2
    $ stackops stack env set A B --stdin -s shop
    ! error: --stdin and --from-file set one variable: give only its name, not "B"
    = 2
    $ stackops stack env set A --stdin --from-file x -s shop
    ! error: use --stdin or --from-file, not both
    = 2
  `));

test('a read-only variable stops the run before the first write', () =>
  transcript(`
    $ stackops stack env set NEW_FLAG=1 STACK_NAME=other REDIS_ADDRESS=1 -s shop
    ! error: STACK_NAME, REDIS_ADDRESS are read-only; nothing was changed
    = 6
    $ stackops stack env get NEW_FLAG -s shop
    ! error: environment variable "NEW_FLAG" not found
    ! hint: stackops stack env list -s shop
    = 3
    $ stackops stack env set STACK_NAME=shop NEW_FLAG=1 -s shop
    ! undo: stackops stack env unset NEW_FLAG -s shop
    STACK_NAME unchanged (shop)
    NEW_FLAG created (1)
    Running code may see this only after the next deployment.
    $ stackops stack env unset STACK_NAME -s shop -y
    ! error: STACK_NAME is read-only; nothing was changed
    = 6
  `));

test('unset says which values will not be kept', () =>
  transcript(`
    80$ stackops stack env unset SECRET_KEY_BASE -s shop
    < n
    ! Delete SECRET_KEY_BASE (environment variable of shop/production)? Its value will not be kept. [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops stack env unset SECRET_KEY_BASE CURRENCY -s shop
    < n
    ! Delete SECRET_KEY_BASE, CURRENCY (2 environment variables of shop/production)? The value of SECRET_KEY_BASE will not be kept. [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops stack env set SMTP_PASSWORD=1 -s blog/staging
    ! undo: stackops stack env unset SMTP_PASSWORD -s blog/staging
    SMTP_PASSWORD created (***)
    Running code may see this only after the next deployment.
    80$ stackops stack env unset SMTP_PASSWORD -s shop,blog/staging
    < n
    ! Delete SMTP_PASSWORD (environment variable of shop/production, environment variable of blog/staging)? Its value will not be kept. [y/N]
    ! error: cancelled; nothing was changed
    = 1
  `));

test('a value that no line can show will not be kept either', () =>
  transcript(`
    80$ stackops stack env unset ROBOTS LOG_LEVEL -s shop
    < y
    ! Delete ROBOTS, LOG_LEVEL (2 environment variables of shop/production)? The value of ROBOTS will not be kept. [y/N]
    ! undo: stackops stack env set LOG_LEVEL=info -s shop
    ROBOTS deleted (was User-agent: *\\nDisallow: /checkout\\n; no undo)
    LOG_LEVEL deleted (was info)
    Running code may see each change at once, or only after the next deployment.
  `));

test('a half-made unset can be typed again', () =>
  transcript(`
    $ stackops stack env unset CURRENCY -s shop -y
    ! undo: stackops stack env set CURRENCY=EUR -s shop
    CURRENCY deleted (was EUR)
    Running code may see this only after the next deployment.
    80$ stackops stack env unset CURRENCY GREETING -s shop
    < y
    ! Delete GREETING (environment variable of shop/production)? [y/N]
    ! undo: stackops stack env set 'GREETING=Hello "reader", mind the = signs' -s shop
    CURRENCY unchanged (not set)
    GREETING deleted (was Hello "reader", mind the = signs)
    Running code may see this only after the next deployment.
    $ stackops stack env unset CURRENCY GREETING -s shop -y
    ! error: environment variable "CURRENCY" not found
    ! hint: stackops stack env list -s shop
    = 3
  `));

test('a key that was deleted from this machine is told from one that never was', () =>
  transcript(`
    $ stackops stack env unset CURRENCY -s shop -y -q
    +120s
    $ stackops stack env get CURRENCY -s shop
    ! error: CURRENCY was deleted 2m ago (change 1)
    ! hint: stackops history undo 1
    = 3
    $ stackops stack env history CURRENCY -s shop
    ! error: CURRENCY was deleted 2m ago (change 1)
    ! hint: stackops history undo 1
    = 3
    $ stackops stack env rollback CURRENCY -s shop
    ! error: CURRENCY was deleted 2m ago (change 1)
    ! hint: stackops history undo 1
    = 3
    $ stackops stack env get CURRENCY -s blog/staging
    ! error: environment variable "CURRENCY" not found
    ! hint: stackops stack env list -s blog/staging
    = 3
  `));

test('a number that is the ID of a variable, and no key, is no key to unset', () =>
  transcript(`
    $ stackops stack env unset LOG_LEVEL 503 -s shop -y
    ! error: 503 is the ID of NODE_ENV; give the key instead; nothing was changed
    ! hint: stackops stack env unset LOG_LEVEL NODE_ENV -s shop -y
    = 3
    $ stackops stack env unset 503 -s shop,blog/staging -y
    ! error: shop: 503 is the ID of NODE_ENV; give the key instead; nothing was changed
    ! hint: stackops stack env unset NODE_ENV -s shop,blog/staging -y
    = 3
    $ stackops stack env set 503=x -s shop -q
    $ stackops stack env unset 503 -s shop -y
    ! undo: stackops stack env set 503=x -s shop
    503 deleted (was x)
    Running code may see this only after the next deployment.
  `));

test('unset asks first', () =>
  transcript(`
    80$ stackops stack env unset CHECKOUT_V2 CART_TTL_HOURS -s shop
    < n
    ! Delete CHECKOUT_V2, CART_TTL_HOURS (2 environment variables of shop/production)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops stack env unset CHECKOUT_V2 -s shop
    <
    ! Delete CHECKOUT_V2 (environment variable of shop/production)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    80$ stackops stack env unset CHECKOUT_V2 -s shop
    ! Delete CHECKOUT_V2 (environment variable of shop/production)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops stack env unset CHECKOUT_V2 CART_TTL_HOURS -s shop
    ! error: "stack env unset" needs -y (no terminal); nothing was changed
    ! hint: stackops stack env unset CHECKOUT_V2 CART_TTL_HOURS -s shop -y
    = 2
    $ CI=1 stackops stack env unset CHECKOUT_V2 -s shop --json
    ! {"error":{"code":"usage","message":"\\"stack env unset\\" needs -y (CI is set); nothing was changed","status":null,"hint":"stackops stack env unset CHECKOUT_V2 -s shop --json -y","exit_code":2,"operation":null,"request_id":null}}
    = 2
    80$ stackops stack env unset CHECKOUT_V2 -s shop --no-input
    ! error: "stack env unset" needs -y (--no-input); nothing was changed
    ! hint: stackops stack env unset CHECKOUT_V2 -s shop --no-input -y
    = 2
    80$ stackops stack env unset CHECKOUT_V2 CART_TTL_HOURS -s shop
    < yes
    ! Delete CHECKOUT_V2, CART_TTL_HOURS (2 environment variables of shop/production)? [y/N]
    ! undo: stackops stack env set CHECKOUT_V2=true CART_TTL_HOURS=72 -s shop
    CHECKOUT_V2 deleted (was true)
    CART_TTL_HOURS deleted (was 72)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env unset CHECKOUT_V2 -s shop -y
    ! error: environment variable "CHECKOUT_V2" not found
    ! hint: stackops stack env list -s shop
    = 3
    $ stackops stack env unset GREETING GREETING -s shop -y
    ! undo: stackops stack env set 'GREETING=Hello "reader", mind the = signs' -s shop
    GREETING deleted (was Hello "reader", mind the = signs)
    Running code may see this only after the next deployment.
    $ stackops stack env unset NEVER NOPE -s shop -y
    ! error: environment variable "NEVER" not found
    ! hint: stackops stack env list -s shop
    = 3
    $ stackops stack env get CURRENCY -s shop
    EUR
    $ stackops stack env unset CURRENCY -s shop -y --json
    [{"key":"CURRENCY","change":"deleted","before":"EUR","after":null,"action":null,"message":"Environment variable CURRENCY deleted.","error":null}]
    $ stackops stack env unset LOG_LEVEL -s shop -y -q
  `));
