import { test } from 'vitest';
import { transcript } from '../../support/transcript.ts';

test('a piped list is data, a heading on request', () =>
  transcript(`
    $ stackops variant list -s shop --columns uid,percentage
    va-active⇥100
    va-canary⇥10
    va-preview⇥0
    $ stackops variant list -s shop --columns uid,percentage --header
    UID⇥PERCENTAGE
    va-active⇥100
    va-canary⇥10
    va-preview⇥0
    $ stackops variant list -s shop --output table --columns uid,percentage
    UID         TRAFFIC
    va-active       100
    va-canary        10
    va-preview        0
    80$ stackops variant list -s shop --columns uid,percentage --no-header
    va-active   100 %
    va-canary    10 %
    va-preview    0 %
    80$ stackops variant list -s shop --output tsv --columns uid,percentage
    va-active⇥100
    va-canary⇥10
    va-preview⇥0
  `));

test('lists are sorted and limited', () =>
  transcript(`
    $ stackops variant list -s shop --sort -percentage --columns uid,percentage
    va-active⇥100
    va-canary⇥10
    va-preview⇥0
    $ stackops variant list -s shop --sort percentage --limit 1 -q
    va-preview
    $ stackops variant list -s shop --sort percentage --limit 10000000000 -q
    va-preview
    va-canary
    va-active
    80$ stackops variant list -s shop --sort percentage --limit 1 --columns uid
    ! 1 of 3 variants.
    UID
    va-preview
    $ stackops variant list -s shop --limit 0
    ! error: --limit must be a whole number above 0, not "0"
    = 2
    $ stackops variant list -s shop --sort weight
    ! error: unknown field "weight"
    ! hint: known fields: uid, variant_type, sub_type, percentage, git_hash, created_at, id
    = 2
  `));

test('JSON is one document, spread out for people', () =>
  transcript(`
    $ stackops variant list -s shop --json --fields uid,variant_type --limit 2
    [{"uid":"va-active","variant_type":"active"},{"uid":"va-canary","variant_type":"canary"}]
    80$ stackops variant list -s shop --json --fields uid --limit 2
    [
      {
        "uid": "va-active"
      },
      {
        "uid": "va-canary"
      }
    ]
    $ stackops stack get shop --json --fields name
    {"name":"shop"}
    80$ stackops stack get shop --json --fields name
    {
      "name": "shop"
    }
  `));

test('an unknown name costs no request and shows the known ones', () =>
  transcript(String.raw`
    $ stackops variant list --columns uid,weight
    ! error: unknown column "weight"
    ! hint: known columns: uid, variant_type, sub_type, percentage, git_hash, created_at, id
    = 2
    $ stackops variant list --fields uid,weight
    ! error: unknown column "weight"
    ! hint: known columns: uid, variant_type, sub_type, percentage, git_hash, created_at, id
    = 2
    $ stackops variant list --json --fields weight
    ! {"error":{"code":"usage","message":"unknown field \"weight\"","status":null,"hint":"known fields: uid, variant_type, sub_type, percentage, git_hash, created_at, id","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops stack env list --json --fields history.vlaue
    ! {"error":{"code":"usage","message":"unknown field \"history.vlaue\" (did you mean history.value?)","status":null,"hint":"known fields: key, value, readonly, is_password, is_generated, id, created_at, updated_at, history, history.key, history.value, history.created_at, history.updated_at","exit_code":2,"operation":null,"request_id":null}}
    = 2
  `));

test('options that contradict each other are refused', () =>
  transcript(`
    $ stackops variant list --fields uid --columns uid
    ! error: use --fields or --columns, not both
    ! hint: stackops variant list --fields uid
    = 2
    $ stackops stack get shop --fields name
    ! error: --fields does not apply: it needs a list or JSON
    ! hint: stackops stack get shop --fields name --json
    = 2
    $ stackops stack env set A=1 -s shop --fields change
    ! error: --fields does not apply: it needs a list or JSON
    ! hint: stackops stack env set A -s shop --fields change --stdin --json
    = 2
    $ stackops variant list --json --output table
    ! {"error":{"code":"usage","message":"use --json or --output table, not both","status":null,"hint":"stackops variant list --json","exit_code":2,"operation":null,"request_id":null}}
    = 2
    $ stackops variant list --output xml
    ! error: --output must be one of table, tsv, csv, json, yaml, ndjson, not "xml"
    = 2
    $ stackops stack get shop --sort name
    ! error: --sort does not apply: the output is not a list
    ! hint: stackops stack get shop
    = 2
    $ stackops stack get shop --columns=name,uid -p default --columns uid
    ! error: --columns does not apply: the output is not a list
    ! hint: stackops stack get shop -p default
    = 2
    $ stackops stack env get LOG_LEVEL --limit 3 -- --limit 4
    ! error: --limit does not apply: the output is not a list
    ! hint: stackops stack env get -- LOG_LEVEL --limit 4
    = 2
    $ stackops stack list -q -v
    ! error: use --quiet or --verbose, not both
    = 2
    $ stackops stack list --color sometimes
    ! error: --color must be one of always, never, auto, not "sometimes"
    = 2
  `));

test('-q wins over the form that is preferred, and not over the one that is typed', () =>
  transcript(`
    $ stackops config set output=json -q
    $ stackops stack list -q --limit 1
    5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    80$ STACKOPS_OUTPUT=yaml stackops stack list -q --limit 1
    5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    $ stackops stack env set A=1 -s shop -q
    $ stackops stack get shop --fields name -q
    {"name":"shop"}
    $ stackops stack list --limit 1 --fields name --json -q
    [{"name":"shop"}]
  `));

test('secrets are shown to people with --reveal only', () =>
  transcript(`
    200$ stackops stack get shop --json --fields redeploy_hook
    {
      "redeploy_hook": "https://hooks.harbour.example/redeploy/55a091d901dd0139d59929158ee105d4"
    }
    80$ stackops stack env list -s shop --columns key,value --sort -is_password --limit 2
    ! 2 of 38 environment variables.
    KEY             VALUE
    SMTP_PASSWORD   ***
    PAYMENT_SECRET  ***
    80$ stackops stack env list -s shop --columns key,value --sort -is_password --limit 2 --reveal
    ! 2 of 38 environment variables.
    KEY             VALUE
    SMTP_PASSWORD   sandbox-smtp-password
    PAYMENT_SECRET  sandbox-payment-secret
    $ stackops stack env list -s shop --columns key,value --sort -is_password --limit 2
    SMTP_PASSWORD⇥sandbox-smtp-password
    PAYMENT_SECRET⇥sandbox-payment-secret
    $ stackops stack env list -s shop --columns key,value --sort -is_password --limit 2 --output table
    KEY             VALUE
    SMTP_PASSWORD   ***
    PAYMENT_SECRET  ***
    $ stackops stack env list -s shop --sort -is_password --limit 1 --jq .[].value
    sandbox-smtp-password
  `));
