import { test } from 'vitest';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('accounts are listed and shown', transcriptFile);

test('an account of others is refused with the scope that was needed', () =>
  transcript(`
    $ stackops account get 73
    ! error: access denied (403): the command needs the users scope: you have no access to account 73
    = 5
    $ stackops account get mine
    ! error: <account> must be a whole number, not "mine"
    = 2
    $ STACKOPS_TOKEN=sandbox_public stackops account list
    ! error: access denied (403): the token has no users scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
  `));

test('a one-time password is printed bare', () =>
  transcript(`
    80$ stackops account otp
    4d2f86340a4e
    $ stackops account otp --json --fields otp
    {"otp":"ab6332ba504a"}
    $ stackops account otp -s shop
    ! error: --stack does not apply: "account otp" does not act on a stack
    ! hint: stackops account otp
    = 2
  `));
