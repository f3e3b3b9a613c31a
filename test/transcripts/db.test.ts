import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('databases are listed', transcriptFile);
test('a created database appears when its action has finished', transcriptFile);
test('a database is deleted by its typed name only', transcriptFile);

test('a database answers to its exact name', () =>
  transcript(`
    $ stackops db delete shop_events -s shop --confirm shop_events --json --fields change,action.action_type,action.resource_id
    {"change":"queued","action":{"action_type":"database_delete","resource_id":"db5a2"}}
    $ stackops db delete shop_prd -s shop --confirm shop_prd
    ! error: database "shop_prd" not found; did you mean "shop_prod"?
    ! hint: stackops db list -s shop -g 21
    = 3
  `));

test('with --wait the record holds the UID, and what was deleted', transcriptFile);

test('a name that is taken is not sent', transcriptFile);

test('databases and their users are given by UID or by name', transcriptFile);

test('where no user is listed, what was typed is sent', () =>
  transcript(`
    $ stackops db create reports --user du9 -s blog/production --dry-run
    POST http://sandbox.localhost/api/3/stacks/b92c7d1e5f30584a9d6e7f8091a2b3c4/server_groups/41/databases
    Content-Type: application/json

    {"database_name":"reports","database_user_ids":["du9"]}
  `));
