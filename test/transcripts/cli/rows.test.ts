import { expect, test } from 'vitest';
import { run } from '../../support/stackops.ts';
import { transcript } from '../../support/transcript.ts';

test('what was done is rows with --output tsv, and a sentence where that is only preferred', () =>
  transcript(`
    $ stackops stack env set A=1 B=2 -s shop --output tsv
    ! undo: stackops stack env unset A B -s shop
    A⇥created⇥-⇥1
    B⇥created⇥-⇥2
    $ stackops stack env set A=2 B=2 -s shop --output tsv --columns change,key --sort -key --header
    ! undo: stackops stack env rollback A -s shop
    CHANGE⇥KEY
    unchanged⇥B
    updated⇥A
    $ STACKOPS_OUTPUT=tsv stackops stack env unset B -s shop -y
    ! undo: stackops stack env set B=2 -s shop
    B deleted (was 2)
    Running code may see this only after the next deployment.
    $ stackops variant weight va-canary 12 -s shop --output tsv -q
    $ stackops variant weight va-canary 13 -s shop --output tsv
    ! undo: stackops variant weight va-canary 12 -s shop
    UID:⇥va-canary
    Change:⇥updated
    Before:⇥12
    After:⇥13
    Action:⇥-
    Message:⇥Variant va-canary receives 13% of the traffic
    Error:⇥-
    $ stackops stack env get A -s shop --output tsv
    2
    $ STACKOPS_OUTPUT=csv stackops api /accounts/42 --jq .response.id
    42
    $ STACKOPS_OUTPUT=csv stackops config get output
    csv
  `));

test('the same as CSV', async () => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };
  const out = async (words: string, terminal?: number) =>
    (await run(words.split(' '), { env, ...(terminal && { terminal }) })).stdout;
  expect(await out('variant weight va-canary 12 --output csv')).toBe(
    'uid,change,before,after,action,message,error\r\nva-canary,updated,10,12,,Variant va-canary receives 12% of the traffic,\r\n',
  );
  expect(await out('stack env set A=1 -s shop,blog/staging --output csv --columns stack,key,change')).toBe(
    'stack,key,change\r\nshop,A,created\r\nblog/staging,A,created\r\n',
  );
  expect(await out('config set timeout=60s --output csv')).toBe('name,value\r\ntimeout,60s\r\n');
  expect(await out('stack env get SMTP_PASSWORD --output csv', 80)).toMatch(
    /^key,value,[^\r]*\r\nSMTP_PASSWORD,sandbox-smtp-password,/,
  );
  expect(await out('tags set loadbalancer/3301 eu --output csv --fields x')).toBe('');
});

test('where there are no rows they are refused before anything is sent', () =>
  transcript(`
    $ stackops api /stacks --output csv
    ! error: --output csv is not supported here: the command returns no rows
    ! hint: stackops api /stacks --json
    = 2
    $ stackops api POST /stacks/shop/deployments -f git_ref=main --output=tsv
    ! error: --output tsv is not supported here: the command returns no rows; add --json
    = 2
    $ stackops auth token --output csv
    ! error: --output csv is not supported here: the command returns no rows
    ! hint: stackops auth token --json
    = 2
    $ stackops api --list --output tsv --limit 1 --columns method,path
    GET⇥/accounts
  `));

test('every table has its columns, its order and its limit', () =>
  transcript(`
    $ stackops tags list server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --columns value,entity --sort -value --limit 2
    role:web⇥server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    nightly⇥server/c1a7d3e95b2f4860a1b2c3d4e5f60718
    $ stackops tags list loadbalancer/3301,server/c1a7d3e95b2f4860a1b2c3d4e5f60718 --columns value --sort value --limit 1
    edge
    $ stackops tags list loadbalancer/3301 --columns tags
    ! error: unknown column "tags"
    ! hint: known columns: entity, value, reserved
    = 2
    $ stackops commands --columns name --sort -name --limit 1
    variant weight
    $ stackops reference clouds --cloud hetzner --sort -id --columns id --limit 1
    hel1
    $ stackops reference clouds --sort -nope
    ! error: unknown field "nope"
    ! hint: known fields: cloud, kind, id, description
    = 2
    $ stackops api --list --columns nope
    ! error: unknown column "nope"
    ! hint: known columns: method, path, scope, purpose
    = 2
    $ stackops api /stacks --columns uid
    ! error: --columns does not apply: the output is not a list
    ! hint: stackops api /stacks
    = 2
    $ stackops api /stacks --limit 1
    ! error: only a list can be filtered, sorted or limited
    ! hint: stackops api /stacks
    = 2
  `));

test('the JSON behind a table that is no list has no order', () =>
  transcript(`
    $ stackops reference clouds --sort -id --json
    ! {"error":{"code":"usage","message":"--sort does not apply: the output is json, not a table","status":null,"hint":"stackops reference clouds --json","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops commands --output yaml --limit 3
    ! error: --limit does not apply: the output is yaml, not a table
    ! hint: stackops commands --output yaml
    = 2
    $ stackops tags list loadbalancer/3301 --limit 1 --json
    ! {"error":{"code":"usage","message":"--limit does not apply: the output is json, not a table","status":null,"hint":"stackops tags list loadbalancer/3301 --json","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops api --list --sort -path --limit 1 --json --fields path
    [{"path":"/users/:id/devices/:token"}]
  `));

test('sentences have no columns and no order; their JSON has', () =>
  transcript(`
    $ stackops stack env set A=1 -s shop --columns key
    ! error: --columns does not apply: this command prints a sentence, not rows
    ! hint: stackops stack env set A -s shop --stdin
    = 2
    $ stackops stack env set A=1 -s shop --limit 1 --sort key
    ! error: --sort does not apply: this command prints a sentence, not rows
    ! hint: stackops stack env set A -s shop --stdin
    = 2
    $ stackops config set timeout=60s --header
    ! error: --header does not apply: this command prints a sentence, not rows
    ! hint: stackops config set timeout=60s
    = 2
    $ stackops stack env set A=1 -s shop --json --limit 1 --sort key
    [{"key":"A","change":"created","before":null,"after":"1","action":null,"message":null,"error":null}]
  `));
