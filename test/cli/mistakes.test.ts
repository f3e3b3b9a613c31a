import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('an unknown word is answered with the command as it was probably meant', () =>
  transcript(String.raw`
    $ stackops stak list
    ! error: unknown command "stak"
    ! hint: stackops stack list
    = 2
    $ stackops stack lst --json
    ! {"error":{"code":"usage","message":"unknown command \"lst\"","status":null,"hint":"stackops stack list --json","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops stack env gett LOG_LEVEL -s shop
    ! error: unknown command "gett"
    ! hint: stackops stack env get LOG_LEVEL -s shop
    = 2
    $ stackops frobnicate
    ! error: unknown command "frobnicate"
    ! hint: stackops --help
    = 2
    $ stackops stack frobnicate
    ! error: unknown command "frobnicate"
    ! hint: stackops stack --help
    = 2
    $ stackops help frobnicate
    ! error: unknown command "frobnicate"
    ! hint: stackops --help
    = 2
  `));

test('an unknown option likewise', () =>
  transcript(`
    $ stackops stack list --jsn
    ! error: unknown option "--jsn"
    ! hint: stackops stack list --json
    = 2
    $ stackops --stak shop variant list
    ! error: unknown option "--stak" in front of a command
    ! hint: stackops --stack shop variant list
    = 2
    $ stackops --git-ref main redeploy -s shop
    ! error: unknown option "--git-ref" in front of a command
    ! hint: stackops --help
    = 2
    $ stackops --json stak --help
    ! {"error":{"code":"usage","message":"unknown command \\"stak\\"","status":null,"hint":"stackops --json stack --help","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops --help stak
    ! error: unknown command "stak"
    ! hint: stackops --help stack
    = 2
    $ stackops redeploy --git-reff main -s shop
    ! error: unknown option "--git-reff"
    ! hint: stackops redeploy --git-ref main -s shop
    = 2
    $ stackops stack list --frobnicate
    ! error: unknown option "--frobnicate"
    ! hint: stackops stack list --help
    = 2
    $ stackops stack list -z
    ! error: unknown option "-z"
    ! hint: stackops stack list --help
    = 2
    $ stackops variant list -s
    ! error: option "-s, --stack <uid or name>" argument missing
    ! hint: stackops variant list --help
    = 2
  `));

test('words too many or too few', () =>
  transcript(`
    $ stackops stack list extra
    ! error: "extra" is one word too many: the command takes no words
    ! hint: stackops stack list --help
    = 2
    $ stackops tags list
    ! error: <ENTITY> is missing in: stackops tags list <ENTITY>
    ! hint: stackops tags list --help
    = 2
    $ stackops stack use
    ! error: no stack was named: give -s NAME, set STACKOPS_STACK, or choose a default with "stackops stack use NAME"
    ! hint: stackops stack list
    = 2
  `));

test('a mistake in a JSON run is one line of JSON', () =>
  transcript(String.raw`
    $ stackops stack list extra --json
    ! {"error":{"code":"usage","message":"\"extra\" is one word too many: the command takes no words","status":null,"hint":"stackops stack list --help","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops stack env get NOPE -s shop --json
    ! {"error":{"code":"not_found","message":"no environment variable is called \"NOPE\"","status":null,"hint":"stackops stack env list -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","exit_code":3,"operation":null,"request_id":null}}
    = 3
  `));
