import { expect, test } from 'vitest';
import { run } from '../../support/stackops.ts';
import { transcript } from '../../support/transcript.ts';

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
    $ stackops stack constructor
    ! error: unknown command "constructor"
    ! hint: stackops stack --help
    = 2
    $ stackops help frobnicate
    ! error: unknown command "frobnicate"
    ! hint: stackops --help
    = 2
  `));

test('ids begin at 1, and names are UTF-8', () =>
  transcript(`
    $ stackops action get 0 -s shop
    ! error: <action> must be a whole number above 0, not "0"
    = 2
    $ STACKOPS_STACK=caf\ufffd stackops stack env list
    ! error: STACKOPS_STACK is not valid UTF-8
    = 2
  `));

test('what other tools call it is answered with what it is called here, and never run', () =>
  transcript(`
    $ stackops login --no-browser
    ! error: unknown command "login"
    ! hint: stackops auth login --no-browser
    = 2
    $ stackops whoami --json
    ! {"error":{"code":"usage","message":"unknown command \\"whoami\\"","status":null,"hint":"stackops auth status --json","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops version
    ! error: unknown command "version"
    ! hint: stackops --version
    = 2
    $ stackops -s deploy deploy
    ! error: unknown command "deploy"
    ! hint: stackops redeploy -s deploy
    = 2
    $ stackops envs set A=1 -s shop
    ! error: unknown command "envs"
    ! hint: stackops stack env set A -s shop --stdin
    = 2
    $ stackops deployments -s shop
    ! error: unknown command "deployments"
    ! hint: stackops deployment list -s shop
    = 2
    $ stackops stack ls
    ! error: unknown command "ls"
    ! hint: stackops stack list
    = 2
    $ stackops -s shop stack env rm LOG_LEVEL
    ! error: unknown command "rm"
    ! hint: stackops stack env unset LOG_LEVEL -s shop
    = 2
    $ stackops db rm x
    ! error: unknown command "rm"
    ! hint: stackops db delete x
    = 2
    $ stackops db rotate-password app
    ! error: unknown command "rotate-password"
    ! hint: stackops db user regenerate-password app
    = 2
    $ stackops history ls --open
    ! error: unknown command "ls"
    ! hint: stackops history list --open
    = 2
    $ stackops server describe web-1 --help
    ! error: unknown command "describe"
    ! hint: stackops server get web-1 --help
    = 2
    $ stackops tags create server/shop-web-1 eu -s shop
    ! error: unknown command "create"
    ! hint: stackops tags add server/shop-web-1 eu -s shop
    = 2
    $ stackops envs set =1 -s shop
    ! error: unknown command "envs"
    ! hint: stackops stack env set --help
    = 2
    $ stackops variant rename va-canary
    ! error: unknown command "rename"
    ! hint: stackops variant --help
    = 2
  `));

test('an argument in another form is corrected in the hint', () =>
  transcript(`
    $ stackops process restart worker -s shop
    ! error: unknown command "restart"
    ! hint: a new deployment restarts all processes: stackops restart
    = 2
    $ stackops gateway open bastion-1
    ! error: unknown command "open"
    ! hint: gateway update sets how long a gateway is open: --ttl 8h opens it, --ttl 0 closes it
    = 2
    $ stackops gateway close bastion-1
    ! error: unknown command "close"
    ! hint: gateway update sets how long a gateway is open: --ttl 8h opens it, --ttl 0 closes it
    = 2
    $ stackops db user rotate app -s shop
    ! error: unknown command "rotate"
    ! hint: stackops db user regenerate-password app -s shop
    = 2
    $ stackops tags list shop-web-1 -s shop
    ! error: give server/NAME, server/UID or loadbalancer/ID, not "shop-web-1"
    ! hint: stackops tags list server/shop-web-1 -s shop
    = 2
    $ stackops process scale worker +1 -s shop --server shop-web-1
    ! error: give NAME=N, NAME=+N or NAME=-N, not "worker +1"
    ! hint: stackops process scale worker=+1 --server shop-web-1 -s shop
    = 2
    $ stackops process scale worker 3 -w --wait-timeout 5m -y -s shop --server worker
    ! error: give NAME=N, NAME=+N or NAME=-N, not "worker 3"
    ! hint: stackops process scale worker=3 --server worker -s shop -y -w --wait-timeout 5m
    = 2
    $ stackops process scale worker +1 -s shop --field note=x
    ! error: give NAME=N, NAME=+N or NAME=-N, not "worker +1"
    = 2
    $ stackops gateway create --name x --address 203.0.113.9 --key-stdin -s shop
    < key
    ! error: --stack does not apply: "gateway create" does not act on a stack
    ! hint: stackops gateway create --name x --address 203.0.113.9 --key-stdin
    = 2
    $ stackops backup download -s shop -n
    ! error: missing argument <backup>: give an ID or --latest
    ! hint: stackops backup download -s shop -n --latest
    = 2
    $ stackops sandbox run sh -c true
    ! error: unknown option "-c"
    ! hint: stackops sandbox run -- sh -c true
    = 2
    $ stackops env run --pristine -s shop sh -c true
    ! error: unknown option "-c"
    ! hint: stackops stack env run --pristine -s shop -- sh -c true
    = 2
    $ stackops sandbox run --fail-action true
    ! error: unknown option "--fail-action"
    ! hint: stackops sandbox run true --fail-actions
    = 2
    $ stackops env diff blog/production -s shop
    ! error: cannot read blog/production: file not found
    ! hint: stackops stack env diff -s shop --with-stack blog/production
    = 2
  `));

test.each(
  'cancel ssh events browse envs settings stacks databases servers processes login logout whoami version deploy rollback ls ps scale reboot use'.split(
    ' ',
  ),
)('what is suggested for %s is there', async (word) => {
  const [, ...meant] = /^hint: (.*)$/m.exec((await run([word])).stderr)?.[1]?.split(' ') ?? [];
  const path = meant.filter((part) => part !== '--help');
  expect(path).not.toEqual([]);
  const { code, stdout } = await run([...path, '--help']);
  const usage = path.includes('--version') ? 'Usage: stackops ' : `Usage: stackops ${path.join(' ')}`;
  expect([code, stdout.includes(usage)]).toEqual([0, true]);
});

test('an unknown option likewise', () =>
  transcript(`
    $ stackops stack list --jsn
    ! error: unknown option "--jsn"
    ! hint: stackops stack list --json
    = 2
    $ stackops --stak shop variant list
    ! error: unknown option "--stak" in front of a command
    ! hint: stackops --help
    = 2
    $ stackops --git-ref main redeploy -s shop
    ! error: unknown option "--git-ref" in front of a command
    ! hint: stackops --help
    = 2
    $ stackops --json stak --help
    ! {"error":{"code":"usage","message":"unknown command \\"stak\\"","status":null,"hint":"stackops stack --help","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops --help stak
    ! error: unknown command "stak"
    ! hint: stackops stack --help
    = 2
    $ stackops redeploy --git-reff main -s shop
    ! error: unknown option "--git-reff"
    ! hint: stackops redeploy --git-ref main -s shop
    = 2
    $ stackops redeploy -s shop -y --wait-timout 5m
    ! error: unknown option "--wait-timout"
    ! hint: stackops redeploy -s shop -y --wait-timeout 5m --wait
    = 2
    $ stackops redeploy -s shop -y --waitt
    ! error: unknown option "--waitt"
    ! hint: stackops redeploy -s shop -y --wait
    = 2
    $ stackops stack list --frobnicate
    ! error: unknown option "--frobnicate"
    ! hint: stackops stack list --help
    = 2
    $ stackops stack list -o json
    ! error: unknown option "-o"
    ! hint: stackops stack list --output json
    = 2
    $ stackops stack list -z
    ! error: unknown option "-z"
    ! hint: stackops stack list --help
    = 2
    $ stackops variant list -s
    ! error: -s, --stack <uid or name> needs a value
    ! hint: stackops variant list --help
    = 2
  `));

test('the beginning of a flag stands for the flag', () =>
  transcript(`
    $ stackops redeploy --canary 5 -s shop
    ! error: unknown option "--canary"
    ! hint: stackops redeploy --rollout-strategy canary --canary-percentage 5 -s shop
    = 2
    $ stackops redeploy --branch=main -s shop
    ! error: unknown option "--branch=main"
    ! hint: stackops redeploy --git-ref main -s shop
    = 2
    $ stackops redeploy --rollout=canary -s shop
    ! error: unknown option "--rollout=canary"
    ! hint: stackops redeploy --rollout-strategy canary -s shop
    = 2
    $ stackops stack list --out json
    ! error: unknown option "--out"
    ! hint: stackops stack list --output json
    = 2
    $ stackops stack list --json=1
    ! error: unknown option "--json=1"
    ! hint: stackops stack list --json
    = 2
    $ stackops stack list --acc 3
    ! error: unknown option "--acc"
    ! hint: stackops stack list --help
    = 2
    $ stackops stack list --wiat
    ! error: unknown option "--wiat"
    ! hint: stackops stack list --help
    = 2
  `));

test('status is watched, not waited for', () =>
  transcript(`
    $ stackops watch -s shop
    ! error: unknown command "watch"
    ! hint: stackops status --watch -s shop
    = 2
    $ stackops status -w -s shop
    ! error: --wait does not apply: "status" changes nothing
    ! hint: stackops status -s shop --watch
    = 2
  `));

test('a list of a command without commands below it, and the stack of one with some', () =>
  transcript(`
    $ stackops activity list -s shop
    ! error: unexpected argument "list"
    ! hint: stackops activity --help
    = 2
    $ stackops activity list --since 2h
    ! error: unexpected argument "list"
    ! hint: stackops activity --since 2h
    = 2
    $ stackops status help
    ! error: unexpected argument "help"
    ! hint: stackops status --help
    = 2
    $ stackops redeploy list
    ! error: unexpected argument "list"
    ! hint: stackops redeploy --help
    = 2
    $ stackops open shop
    ! error: unknown command "shop" (did you mean -s shop?)
    ! hint: stackops open -s shop
    = 2
    $ stackops open shop -s blog
    ! error: unknown command "shop"
    ! hint: stackops open --help
    = 2
  `));

test('words too many or too few', () =>
  transcript(`
    $ stackops stack list extra
    ! error: unexpected argument "extra"
    ! hint: stackops stack list --help
    = 2
    $ stackops tags list
    ! error: missing argument <ENTITY>
    ! hint: stackops tags list --help
    = 2
    $ stackops stack use
    ! error: which stack? shop, blog/staging, blog/production
    ! hint: stackops stack list
    = 2
  `));

test('a mistake in a JSON run is one line of JSON', () =>
  transcript(String.raw`
    $ stackops stack list extra --json
    ! {"error":{"code":"usage","message":"unexpected argument \"extra\"","status":null,"hint":"stackops stack list --help","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops stack env get NOPE -s shop --json
    ! {"error":{"code":"not_found","message":"environment variable \"NOPE\" not found","status":null,"hint":"stackops stack env list -s shop","exit_code":3,"operation":null,"request_id":null}}
    = 3
  `));

test('a flag that was removed is refused with what replaces it', () =>
  transcript(`
    $ stackops variant list -s shop --retries 0
    ! error: --retries was removed; use STACKOPS_RETRIES or the setting retries
    = 2
    $ stackops --retries=0 variant list -s shop
    ! error: --retries was removed; use STACKOPS_RETRIES or the setting retries
    = 2
    $ stackops --retries 0 variant list -s shop
    ! error: --retries was removed; use STACKOPS_RETRIES or the setting retries
    = 2
    $ stackops stack env set TOKEN=secret -s shop --no-reconcile
    ! error: --no-reconcile was removed; use STACKOPS_RECONCILE or the setting reconcile
    = 2
    $ stackops auth login --auth-url https://ada:secret@sign.example
    ! error: --auth-url was removed; use STACKOPS_AUTH_URL or the setting auth_url
    = 2
    $ stackops variant list --output csv --csv-raw --json
    ! {"error":{"code":"usage","message":"--csv-raw was removed; use STACKOPS_CSV_RAW or the setting csv_raw","status":null,"hint":null,"exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops variant list --stacks-file=-
    ! error: --stacks-file was removed; use -s @FILE, or -s - for stdin
    = 2
  `));

test('env stands for stack env, and is written in full afterwards', () =>
  transcript(`
    $ stackops env set A=1 -s shop
    ! undo: stackops stack env unset A -s shop
    A created (1)
    Running code may see this only after the next deployment.
    $ stackops env get A -s shop
    1
    $ stackops evn get A -s shop
    ! error: unknown command "evn"
    ! hint: stackops stack env get A -s shop
    = 2
    $ stackops history --fields command
    stack env set A=<value> -s shop
  `));

test('on a terminal an error is text unless --json is asked for; in a pipe --jq and --output json make it JSON', () =>
  transcript(String.raw`
    80$ stackops stack get nowhere --jq .id
    ! error: stack "nowhere" not found
    ! hint: stackops stack list
    = 3
    80$ stackops stack get nowhere --output json
    ! error: stack "nowhere" not found
    ! hint: stackops stack list
    = 3
    80$ stackops stack get nowhere --json
    ! {"error":{"code":"not_found","message":"stack \"nowhere\" not found","status":null,"hint":"stackops stack list","exit_code":3,"operation":null,"request_id":null}}
    = 3
    $ stackops stack get nowhere --jq .id
    ! {"error":{"code":"not_found","message":"stack \"nowhere\" not found","status":null,"hint":"stackops stack list","exit_code":3,"operation":null,"request_id":null}}
    = 3
    $ stackops stack get nowhere --output json
    ! {"error":{"code":"not_found","message":"stack \"nowhere\" not found","status":null,"hint":"stackops stack list","exit_code":3,"operation":null,"request_id":null}}
    = 3
  `));
