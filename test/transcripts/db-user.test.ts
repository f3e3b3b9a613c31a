import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('users are listed, their passwords when they are asked for', transcriptFile);
test('a user is made when its action has finished', transcriptFile);
test('a password is replaced by the typed name of its user', transcriptFile);
test('a user is deleted by the typed name', transcriptFile);

test('a database user answers to its exact name', () =>
  transcript(`
    $ stackops db user regenerate-password app -s shop --confirm app
    ! read its password: stackops action wait 812 -s shop && stackops db user list --show-password --reveal -s shop -g 21
    changing the password of database user app (action 812, queued): du7c2, application, uses shop_prod and shop_events
    $ stackops db user delete analytics -s shop --confirm analytics --dry-run
    DELETE http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/server_groups/21/database_users/du7c3
  `));

test(
  'with --wait and --reveal the new password is read and shown; without, the command that shows it is',
  transcriptFile,
);

test('where the service shows no password, that is said', transcriptFile);
