import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('--where keeps the rows that match, by word or code, in every form', () =>
  transcript(`
    $ stackops server list -s shop --columns name,health_state,server_roles
    shop-web-1⇥healthy⇥web
    shop-web-2⇥impaired⇥web
    shop-db-1⇥healthy⇥postgresql, redis
    shop-worker-1⇥healthy⇥worker
    $ stackops server list -s shop --where server_roles=web --columns name
    shop-web-1
    shop-web-2
    $ stackops server list -s shop --where server_roles=web --where name!=shop-web-1 --columns name
    shop-web-2
    $ stackops server list -s shop --where name~WEB --limit 1 --json --fields name
    [{"name":"shop-web-1"}]
    80$ stackops server list -s shop --where name~web --columns name
    ! 2 of 4 servers.
    NAME
    shop-web-1
    shop-web-2
    $ stackops backup list -s shop --where backup_status=failed --columns id
    904
    $ stackops backup list -s shop --where backup_status=1 --columns id
    904
    $ stackops backup list -s shop --where verify_status!=verified --header --columns id,verify_status
    ID⇥VERIFY STATUS
    905⇥not verified
    904⇥not verified
    903⇥not verified
    902⇥not verified
    $ stackops backup list -s shop --where 'backup_size>400000' --sort -id -q
    906
    903
    $ stackops backup list -s shop --where 'backup_date_iso>2026-05-03' --jq '.[].id'
    906
    905
    904
    $ stackops backup list -s shop --where 'backup_date_iso<2026-05-03T00:00:00Z' --output ndjson --fields id
    {"id":903}
    {"id":902}
    {"id":901}
    $ stackops deployment list -s shop --where outcome=failed --columns id,outcome
    1039⇥failed
    $ stackops deployment list -s shop --where outcome.meaning=failed --output yaml --fields id
    - id: 1039
    $ stackops deployment list -s shop --where is_live=yes --columns id
    1041
    $ stackops deployment list -s shop --where is_live=true --columns id
    1041
    $ stackops deployment list -s shop --where 'id<1040' --limit 1 --columns id
    1039
    $ stackops deployment list -s shop --where reverted_by= --limit 1 --columns id
    1041
    $ stackops deployment list -s shop,blog/production --where stack=shop --where is_live=yes --columns stack,id
    shop⇥1041
    $ stackops server list -s shop --where name=none
    ! No servers match --where.
    $ stackops server list -s shop --where name=none --json
    []
    $ stackops server list -s shop --where name=none -q
  `));

test('a word that a field cannot have is refused with those that it can', () =>
  transcript(`
    $ stackops deployment list -s shop --where outcome=succes
    ! error: --where outcome must be one of pending, success, failed, cancelled, not "succes" (did you mean success?)
    = 2
    $ stackops deployment list -s shop --where live=yes
    ! error: unknown field "live" (did you mean is_live?)
    ! hint: known fields: id, outcome, outcome.code, outcome.meaning, started_at, finished_at, git_hash, triggered_by, triggered_via, triggered_via.code, triggered_via.meaning, deploy_type, deploy_type.code, deploy_type.meaning, is_live, is_head, is_deploying, deploy_session, reverted, reverted_by, reverted_at, commit_url
    = 2
    $ stackops deployment list -s shop --where is_live=ture
    ! error: --where is_live must be one of true, false, yes, no, not "ture" (did you mean true?)
    = 2
    $ stackops backup list -s shop --where verify_status!=done
    ! error: --where verify_status must be one of not verified, verifying, verified, failed, unable to verify, not "done"
    = 2
    $ stackops stack list --where status_text=7
    ! error: --where status_text must be one of pending analysis, deployed, deployment failed, analysing, analysed, queued, deploying, unable to analyse, not "7"
    = 2
    $ stackops backup list -s shop --where verify_status=99
    ! No backups match --where.
    $ stackops server list -s shop --where role=worker --fields name,role
    shop-worker-1⇥worker
    $ stackops server list -s shop --where 'created_at_iso<2025-01-01' -q --limit 1
    c1a7d3e95b2f4860a1b2c3d4e5f60718
    $ stackops backup list -s shop --where db_type~postgres --limit 1 --columns id
    906
  `));

test('a filter that cannot be is refused before anything is sent', () =>
  transcript(`
    $ stackops gateway list --where role=web
    ! error: unknown field "role"
    ! hint: known fields: id, name, username, address, private_ip, ttl, content, created_by, updated_by, created_at_iso, updated_at_iso
    = 2
    $ stackops gateway list --where name
    ! error: --where must be FIELD=VALUE (or !=, ~, <, >), not "name"
    = 2
    $ stackops backup list -s shop --where 'backup_date_iso>yesterday'
    ! error: --where backup_date_iso must be compared with a time such as 2026-05-04, not "yesterday"
    = 2
    $ stackops backup list -s shop --where 'id<many'
    ! error: --where id must be compared with a number, not "many"
    = 2
    $ stackops server get shop-web-1 -s shop --where name=x
    ! error: --where does not apply: the output is not a list
    ! hint: stackops server get shop-web-1 -s shop
    = 2
    $ stackops variant weight va-canary 20 -s shop --where uid=va-canary
    ! error: --where does not apply: this command prints a sentence, not rows
    ! hint: stackops variant weight va-canary 20 -s shop
    = 2
  `));

const csv = ['backup', 'list', '-s', 'shop', '--output', 'csv', '--columns', 'id'];

test('CSV has its heading where no row matches', async () => {
  const env = { STACKOPS_SANDBOX: '1' };
  expect((await run([...csv, '--where', 'id=904'], { env })).stdout).toBe('id\r\n904\r\n');
  expect((await run([...csv, '--where', 'id=1'], { env })).stdout).toBe('id\r\n');
});

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test('the limit acts on what is left, and reading stops there', async () => {
  const service = await startService(({ query }, response) => {
    const page = Number(new URLSearchParams(query).get('page') ?? 1);
    const rows = [1, 2, 3].map((at) => ({ id: page * 10 + at, db_type: at === 2 ? 'redis' : 'mysql' }));
    reply(response, { response: rows, count: 30, pagination: { previous: null, next: page + 1, current: page } });
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const words = ['backup', 'list', '-s', uid, '--where', 'db_type=redis', '--limit', '2', '--columns', 'id'];
  const { stdout } = await run(words, { env });
  expect(stdout).toBe('12\n22\n');
  expect(service.seen.length).toBeLessThan(5);
});

test('a stack that cannot be read is shown, whatever the filter', async () => {
  const other = '6f3c9a1e7b2d4c8f9e0a1b2c3d4e5f61';
  const service = await startService(({ path }, response) => {
    if (path.includes(other)) reply(response, { error: 'broken' }, 403);
    else reply(response, { response: [{ uid: 's1', name: 'web-1' }] });
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  for (const output of ['json', 'ndjson']) {
    const words = ['server', 'list', '-s', `${uid},${other}`, '--where', 'name=db-1', '--output', output];
    const { stdout, code } = await run([...words, '--fields', 'stack,error.code'], { env });
    expect([code, stdout.replace(/^\[|\]/g, '')]).toEqual([1, `{"stack":"${other}","error":{"code":"forbidden"}}\n`]);
  }
});

test('codes have a field of words, in every form, for --where and for --sort', () =>
  transcript(`
    $ stackops stack list --fields name,environment,status_text
    shop⇥production⇥deployed
    blog⇥staging⇥deployment failed
    blog⇥production⇥deployed
    $ stackops stack list --header --fields name,health_text --limit 1
    NAME⇥HEALTH TEXT
    shop⇥healthy
    80$ stackops stack list --fields name,status_text --sort -status_text
    NAME  STATUS TEXT
    blog  deployment failed
    shop  deployed
    blog  deployed
    $ stackops stack list --json --fields name,status,status_text
    [{"name":"shop","status":1,"status_text":"deployed"},{"name":"blog","status":2,"status_text":"deployment failed"},{"name":"blog","status":1,"status_text":"deployed"}]
    $ stackops stack list --where status_text~fail --output ndjson --fields status_text
    {"status_text":"deployment failed"}
    $ stackops stack list --where status_text=2 --fields name
    ! error: --where status_text must be one of pending analysis, deployed, deployment failed, analysing, analysed, queued, deploying, unable to analyse, not "2"
    = 2
    $ stackops server list -s 'sh*' --where health_state_text!=healthy --output yaml --fields stack,name,health_state_text
    - stack: shop
      name: shop-web-2
      health_state_text: impaired
    $ stackops stack get shop --json --fields status_text,health
    {"status_text":"deployed","health":3}
    $ stackops backup list -s shop --jq '.[0]' --limit 1 --fields id,backup_status_text
    {"id":906,"backup_status_text":"ok"}
    $ stackops stack list --json --limit 1 --jq '.[] | has("status_text")'
    false
    $ stackops stack list --fields name_text
    ! error: unknown column "name_text"
    ! hint: known columns: uid, name, environment, status, status_text, health, health_text, account_id, account_name, git, git_branch, cloud, fqdn, application_address, language, framework, backend, is_busy, is_cluster, maintenance_mode, redeploy_hook, last_activity, created_at, updated_at
    = 2
  `));

const statuses = [{ status: 1 }, { status: 99 }, { status: null }, {}, { status: 2, status_text: 'as it was sent' }];

test('a code without a word is shown as it is, and what the service sent is not replaced', async () => {
  const rows = statuses.map((row, at) => ({ uid: `s${at}`, ...row }));
  const service = await startService((_, response) => reply(response, { response: rows }));
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const list = ['stack', 'list', '--fields', 'uid,status_text'];
  expect((await run(list, { env })).stdout).toBe('s0\tdeployed\ns1\t99\ns2\t-\ns3\t-\ns4\tas it was sent\n');
  expect((await run([...list, '--output', 'csv', '--no-header'], { env })).stdout).toBe(
    's0,deployed\r\ns1,99\r\ns2,\r\ns3,\r\ns4,as it was sent\r\n',
  );
  expect(JSON.parse((await run([...list, '--json'], { env })).stdout)).toEqual([
    { uid: 's0', status_text: 'deployed' },
    { uid: 's1', status_text: '99' },
    { uid: 's2', status_text: null },
    { uid: 's3', status_text: null },
    { uid: 's4', status_text: 'as it was sent' },
  ]);
});
