import { test } from 'vitest';
import { transcript, transcriptFile } from '../../support/transcript.ts';

test('a flag that promises what will not happen is refused', transcriptFile);

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
