import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('variables are listed over all pages, in the order of the service', transcriptFile);

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

test('one value is printed bare', transcriptFile);
test('set creates, updates and leaves alone', transcriptFile);
test('secrets are not shown, and long values are cut', transcriptFile);
test('undo is one line, whatever was done', transcriptFile);
test('values travel unaltered', transcriptFile);
test('a value comes from stdin', transcriptFile);

test('a value from stdin is no part of JSON either, unless secrets are asked for', () =>
  transcript(`
    $ stackops stack env set MOTTO --stdin -s shop --json
    < hunter2
    [{"key":"MOTTO","change":"created","before":null,"after":"***","action":null,"message":null,"error":null,"masked":["after"]}]
    $ stackops stack env set MOTTO --stdin -s shop --json --reveal
    < hunter3
    [{"key":"MOTTO","change":"updated","before":"hunter2","after":"hunter3","action":null,"message":null,"error":null}]
    $ stackops stack env unset SMTP_PASSWORD -s shop -y --json --fields before,after
    [{"before":"***","after":null,"masked":["before"]}]
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

test('an empty value from stdin is refused unless it is meant', transcriptFile);

test('a file that cannot be read', () =>
  transcript(`
    $ stackops stack env set NOTE --from-file /nowhere/key.pem -s shop
    ! error: cannot read /nowhere/key.pem: file not found
    = 2
    $ stackops stack env set NOTE --from-file / -s shop
    ! error: cannot read /: it is a folder
    = 2
  `));

test('set refuses what it cannot mean', transcriptFile);
test('a read-only variable stops the run before the first write', transcriptFile);
test('unset says which values will not be kept', transcriptFile);

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

test('a half-made unset can be typed again', transcriptFile);
test('a key that was deleted from this machine is told from one that never was', transcriptFile);
test('a number that is the ID of a variable, and no key, is no key to unset', transcriptFile);
test('unset asks first', transcriptFile);
