import { test } from 'vitest';
import { transcript } from '../../support/transcript.ts';

test('a flag that promises what will not happen is refused', () =>
  transcript(`
    $ stackops variant list -s shop --keep-going
    ! error: --keep-going does not apply: "variant list" changes nothing
    ! hint: stackops variant list -s shop
    = 2
    $ stackops variant weight va-canary 25 --keep-going -s shop
    ! error: --keep-going does not apply: "variant weight" makes one change at a time
    ! hint: stackops variant weight va-canary 25 -s shop
    = 2
    $ stackops tags patch loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --add x --keep-going -q
    $ stackops variant list -s shop --confirm shop
    ! error: --confirm does not apply: "variant list" asks no question
    ! hint: stackops variant list -s shop
    = 2
    $ stackops variant list -s shop -y -n --curl --no-input --limit 1 --json --fields uid
    [{"uid":"va-active"}]
  `));

test('a line for curl has one form', () =>
  transcript(`
    $ stackops variant weight va-canary 25 -s shop --curl --jq .after
    ! {"error":{"code":"usage","message":"use --curl or --jq, not both","status":null,"hint":"stackops variant weight va-canary 25 -s shop --jq .after --dry-run","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops variant weight va-canary 25 -s shop --curl -n --output csv
    ! error: use --curl or --output, not both
    ! hint: stackops variant weight va-canary 25 -s shop --output csv -n
    = 2
    $ STACKOPS_OUTPUT=yaml stackops api /accounts/42 --curl
    curl --fail-with-body -X GET -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' 'http://sandbox.localhost/api/3/accounts/42'
  `));
