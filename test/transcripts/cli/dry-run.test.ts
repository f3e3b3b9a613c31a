import { test } from 'vitest';
import { transcript } from '../../support/transcript.ts';

test('--dry-run prints the request and sends nothing', () =>
  transcript(`
    $ stackops variant weight va-canary 25 -s shop --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/application_variants/va-canary
    Content-Type: application/json

    {"operation":"percentage","canary_percentage":25}
    $ stackops variant weight va-canary 25 -s shop --dry-run --json
    {"dry_run":true,"method":"PUT","url":"http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/application_variants/va-canary","body":{"operation":"percentage","canary_percentage":25}}
    $ stackops db delete db5a1 -s shop --dry-run
    DELETE http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/server_groups/21/databases/db5a1
    $ stackops stack env set LOG_LEVEL=debug CURRENCY=EUR NEW=1 -s shop --dry-run
    PUT http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL
    Content-Type: application/json

    {"value":"debug"}

    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments
    Content-Type: application/json

    {"key":"NEW","value":"1"}
    $ stackops stack env set LOG_LEVEL=debug NEW=1 -s shop --dry-run --json
    [{"dry_run":true,"method":"PUT","url":"http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments/LOG_LEVEL","body":{"value":"debug"}},{"dry_run":true,"method":"POST","url":"http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments","body":{"key":"NEW","value":"1"}}]
    $ stackops stack env set LOG_LEVEL=info -s shop --dry-run
    LOG_LEVEL unchanged (info)
    $ stackops stack env set STACK_NAME=x -s shop --dry-run
    ! error: STACK_NAME is read-only; nothing was changed
    = 6
    $ stackops stack env get LOG_LEVEL -s shop
    info
    $ stackops variant list -s shop --columns uid,percentage --dry-run
    va-active⇥100
    va-canary⇥10
    va-preview⇥0
  `));

test('--curl prints a line that a shell takes', () =>
  transcript(String.raw`
    $ stackops stack env set 'A=it'\''s "$HOME"' -s shop --curl
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"key":"A","value":"it'\''s '\\'"$HOME'\\'""}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments'
    $ stackops redeploy -s shop -y -q
    $ stackops deployment cancel 1042 -s shop --curl
    curl --fail-with-body -X DELETE -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments/1042'
  `));
