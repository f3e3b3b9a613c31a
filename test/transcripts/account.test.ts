import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('accounts are listed and shown', () =>
  transcript(`
    80$ stackops account list
    NAME           OWNER                        CURRENT  STACKS  CLOUDS   ID
    Harbour Books  owner@harbour-books.example  yes           3  hetzner  42
    Harbour Labs   owner@harbour-labs.example   no            0  hetzner  57
    $ stackops account list -q
    42
    57
    $ stackops account get
    ID:⇥42
    Name:⇥Harbour Books
    Owner:⇥owner@harbour-books.example
    Current account:⇥yes
    Stacks:⇥3
    Clouds:⇥hetzner
    Configstore namespace:⇥account-42
    Server registration script:⇥curl -fsS https://register.example/42 | sh
    Unmanaged servers:⇥-
    Created:⇥2024-02-05T09:00:00Z
    Updated:⇥2026-03-30T11:20:00Z
    $ stackops account get -a 57 --json --fields id,friendly_name
    {"id":57,"friendly_name":"Harbour Labs"}
    $ STACKOPS_ACCOUNT=57 stackops account get --json --fields id
    {"id":57}
    $ stackops account get 42 --include-servers --json --fields unmanaged_servers
    {"unmanaged_servers":[{"id":"i-0b71","name":"old-mail","vendor":"aws"}]}
  `));

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
