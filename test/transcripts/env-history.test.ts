import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('the values of a variable are listed, newest first', () =>
  transcript(`
    $ stackops stack env history LOG_LEVEL -s shop
    LOG_LEVEL⇥-⇥info⇥2026-03-02T18:45:00Z⇥-
    LOG_LEVEL⇥2⇥debug⇥2026-03-02T17:10:00Z⇥2026-03-02T18:45:00Z
    LOG_LEVEL⇥1⇥warn⇥2025-11-03T10:00:00Z⇥2026-03-02T17:10:00Z
    80$ stackops stack env history LOG_LEVEL -s shop
    KEY        NUMBER  VALUE  SET       REPLACED
    LOG_LEVEL       -  info   62d ago   -
    LOG_LEVEL       2  debug  62d ago   62d ago
    LOG_LEVEL       1  warn   182d ago  62d ago
    $ stackops stack env history LOG_LEVEL -s shop --json --fields number,value
    [{"number":null,"value":"info"},{"number":2,"value":"debug"},{"number":1,"value":"warn"}]
    $ stackops stack env history CURRENCY -s shop
    CURRENCY⇥-⇥EUR⇥2025-11-03T10:00:00Z⇥-
    $ stackops stack env history LOGLEVEL -s shop
    ! error: environment variable "LOGLEVEL" not found; did you mean "LOG_LEVEL"?
    ! hint: stackops stack env list -s shop
    = 3
  `));

test('without a name: what has changed, and when', () =>
  transcript(`
    80$ stackops stack env history -s shop
    KEY        NUMBER  VALUE  SET       REPLACED
    LOG_LEVEL       -  info   62d ago   -
    LOG_LEVEL       2  debug  62d ago   62d ago
    LOG_LEVEL       1  warn   182d ago  62d ago
    80$ stackops stack env history -s shop --since 24h
    ! No environment variable changed in this time.
    $ stackops stack env set LOG_LEVEL=trace SMTP_PASSWORD=other NEW_FLAG=1 -s shop -q
    +60s
    $ stackops stack env set LOG_LEVEL=error -s shop -q
    80$ stackops stack env history -s shop --since 24h
    KEY            NUMBER  VALUE  SET       REPLACED
    LOG_LEVEL           -  error  0s ago    -
    LOG_LEVEL           4  trace  1m ago    0s ago
    SMTP_PASSWORD       -  ***    1m ago    -
    NEW_FLAG            -  1      1m ago    -
    LOG_LEVEL           3  info   62d ago   1m ago
    SMTP_PASSWORD       1  ***    182d ago  1m ago
    80$ stackops stack env history -s shop --since 30s
    KEY        NUMBER  VALUE  SET     REPLACED
    LOG_LEVEL       -  error  0s ago  -
    LOG_LEVEL       4  trace  1m ago  0s ago
    $ stackops stack env history SMTP_PASSWORD -s shop
    SMTP_PASSWORD⇥-⇥other⇥2026-05-04T12:00:00Z⇥-
    SMTP_PASSWORD⇥1⇥sandbox-smtp-password⇥2025-11-03T10:00:00Z⇥2026-05-04T12:00:00Z
    80$ stackops stack env history SMTP_PASSWORD -s shop --reveal
    KEY            NUMBER  VALUE                  SET       REPLACED
    SMTP_PASSWORD       -  other                  1m ago    -
    SMTP_PASSWORD       1  sandbox-smtp-password  182d ago  1m ago
    $ stackops stack env history -s blog/staging
    ! No environment variable has an earlier value.
    $ stackops stack env history -s shop --since yesterday
    ! error: --since must be a duration such as 90s, 5m, 8h or 7d, not "yesterday"
    ! hint: stackops stack env history --since 24h -s shop
    = 2
  `));

test('a variable is given its previous value, and that is undone the same way', () =>
  transcript(`
    $ stackops stack env rollback LOG_LEVEL -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL rolled back (info -> debug)
    Running code may see this only after the next deployment.
    $ stackops stack env get LOG_LEVEL -s shop
    debug
    $ stackops stack env rollback LOG_LEVEL -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
    $ stackops stack env get LOG_LEVEL -s shop
    info
    $ stackops stack env rollback LOG_LEVEL -s shop --sandbox -q
    $ stackops stack env rollback LOG_LEVEL -s shop --sandbox
    ! undo: stackops stack env rollback LOG_LEVEL -s shop --sandbox
    LOG_LEVEL rolled back (debug -> info)
    Running code may see this only after the next deployment.
  `));

test('the previous value is the newest that differs', () =>
  transcript(`
    $ stackops stack env set LOG_LEVEL=debug -s shop -q
    $ stackops stack env set LOG_LEVEL=info -s shop -q
    $ stackops stack env set CURRENCY=USD -s shop -q
    $ stackops stack env rollback LOG_LEVEL CURRENCY LOG_LEVEL -s shop
    ! undo: stackops stack env rollback LOG_LEVEL CURRENCY -s shop
    LOG_LEVEL rolled back (info -> debug)
    CURRENCY rolled back (USD -> EUR)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env rollback LOG_LEVEL CURRENCY -s shop --json
    [{"key":"LOG_LEVEL","change":"rolled_back","before":"debug","after":"info","action":null,"message":null,"error":null},{"key":"CURRENCY","change":"rolled_back","before":"EUR","after":"USD","action":null,"message":null,"error":null}]
  `));

test('a value is chosen by its number', () =>
  transcript(`
    $ stackops stack env rollback LOG_LEVEL --to 1 -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL rolled back (info -> warn)
    Running code may see this only after the next deployment.
    $ stackops stack env rollback LOG_LEVEL --to 1 -s shop
    LOG_LEVEL unchanged (warn)
    $ stackops stack env rollback LOG_LEVEL --to 9 -s shop
    ! error: LOG_LEVEL has no earlier value 9
    ! hint: stackops stack env history LOG_LEVEL -s shop
    = 3
    $ stackops stack env rollback LOG_LEVEL CURRENCY --to 1 -s shop
    ! error: --to takes only one KEY: each variable has its own numbers
    = 2
    $ stackops stack env rollback LOG_LEVEL --to one -s shop
    ! error: --to must be a whole number, not "one"
    = 2
    $ stackops stack env rollback LOG_LEVEL --to 1 --before 2026-03-02 -s shop
    ! error: use --to or --before, not both
    = 2
  `));

test('a value is chosen by a moment before which it was in effect', () =>
  transcript(`
    $ stackops stack env rollback LOG_LEVEL --before 2026-03-02T19:00:00Z -s shop
    LOG_LEVEL unchanged (info)
    $ stackops stack env rollback LOG_LEVEL --before 2026-03-02T19:00+01:00 -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL rolled back (info -> debug)
    Running code may see this only after the next deployment.
    $ stackops stack env rollback LOG_LEVEL --before 2026-03-02 -s shop
    ! undo: stackops stack env rollback LOG_LEVEL -s shop
    LOG_LEVEL rolled back (debug -> warn)
    Running code may see this only after the next deployment.
    $ stackops stack env rollback LOG_LEVEL --before 2025-11-03T10:00:00Z -s shop
    ! error: no value of LOG_LEVEL is known before 2025-11-03T10:00:00Z
    ! hint: stackops stack env history LOG_LEVEL -s shop
    = 3
    $ stackops stack env rollback LOG_LEVEL --before 2024-02-30 -s shop
    ! error: --before must be a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z, not "2024-02-30"
    = 2
    $ stackops stack env rollback LOG_LEVEL --before 2026-03-02T19:00:00 -s shop
    ! error: --before must be a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z, not "2026-03-02T19:00:00"
    = 2
    $ stackops stack env rollback LOG_LEVEL --before '2 March 2026' -s shop
    ! error: --before must be a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z, not "2 March 2026"
    = 2
    $ stackops stack env rollback LOG_LEVEL --before 2026-03-02T24:00:00Z -s shop
    ! error: --before must be a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z, not "2026-03-02T24:00:00Z"
    = 2
  `));

test('what has no past, or is read-only, is refused before anything is written', () =>
  transcript(`
    $ stackops stack env rollback LOG_LEVEL CURRENCY -s shop
    ! error: CURRENCY has no earlier value that differs
    ! hint: stackops stack env history CURRENCY -s shop
    = 3
    $ stackops stack env rollback LOG_LEVEL STACK_NAME -s shop
    ! error: STACK_NAME is read-only; nothing was changed
    = 6
    $ stackops stack env rollback LOG_LEVEL NOPE -s shop
    ! error: environment variable "NOPE" not found
    ! hint: stackops stack env list -s shop
    = 3
    $ stackops stack env get LOG_LEVEL -s shop
    info
    $ stackops stack env rollback -s shop
    ! error: missing argument <KEY...>
    ! hint: stackops stack env rollback --help
    = 2
  `));

test('a password shows nothing of itself', () =>
  transcript(`
    $ stackops stack env set SMTP_PASSWORD=correct-horse -s shop -q
    $ stackops stack env rollback SMTP_PASSWORD -s shop
    ! undo: stackops stack env rollback SMTP_PASSWORD -s shop
    SMTP_PASSWORD rolled back (*** -> ***)
    Running code may see this only after the next deployment.
    $ stackops stack env get SMTP_PASSWORD -s shop
    sandbox-smtp-password
  `));

test('--dry-run prints a rollback', () =>
  transcript(`
    $ stackops stack env rollback LOG_LEVEL --to 1 -s shop --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL
    Content-Type: application/json

    {"value":"warn"}
    $ stackops stack env rollback LOG_LEVEL --to 1 -s shop --dry-run --json
    {"dry_run":true,"method":"PUT","url":"http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL","body":{"value":"warn"}}
    $ stackops stack env set SMTP_PASSWORD=other -s shop -q
    $ stackops stack env rollback SMTP_PASSWORD LOG_LEVEL -s shop --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/SMTP_PASSWORD
    Content-Type: application/json

    {"value":"***"}

    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL
    Content-Type: application/json

    {"value":"debug"}
    $ stackops stack env rollback SMTP_PASSWORD -s shop --curl
    ! replace *** before you run it
    curl --fail-with-body -X PUT -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"value":"***"}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/SMTP_PASSWORD'
    $ stackops stack env get LOG_LEVEL -s shop
    info
  `));
