import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('clusters are listed', () =>
  transcript(`
    100$ stackops cluster list
    NAME        ENVIRONMENT  STATUS    HEALTH   NODES  CLOUD    KUBERNETES
    prod-eu     production   deployed  healthy      3  hetzner  1.31.4
    staging-eu  staging      deployed  healthy      1  hetzner  1.31.4
    $ stackops cluster list -q
    9c1e4b7a2d5f48309a1b2c3d4e5f6071
    ad2f5c8b3e60594bab2c3d4e5f607182
    $ stackops cluster list --json --fields name,status,node_count
    [{"name":"prod-eu","status":1,"node_count":3},{"name":"staging-eu","status":1,"node_count":1}]
  `));

test('a cluster is shown by UID or name, with a line for every node', () =>
  transcript(`
    100$ stackops cluster get staging-eu
    UID:                 ad2f5c8b3e60594bab2c3d4e5f607182
    Name:                staging-eu
    Environment:         staging
    Cloud:               hetzner
    Status:              deployed
    Health:              healthy
    Kubernetes version:  1.31.4
    Node count:          1
    ID:                  62
    Created:             357d ago (2025-05-12T07:00:00Z)
    Updated:             24d ago (2026-04-09T18:20:00Z)
    Region:              fsn1
    Node staging-eu-1:   Ready, cx32, cpu 4, memory 7944Mi, pods 110
    $ stackops cluster get ad2f5c8b3e60594bab2c3d4e5f607182 --show-log
    UID:⇥ad2f5c8b3e60594bab2c3d4e5f607182
    Name:⇥staging-eu
    Environment:⇥staging
    Cloud:⇥hetzner
    Status:⇥deployed
    Health:⇥healthy
    Kubernetes version:⇥1.31.4
    Node count:⇥1
    ID:⇥62
    Created:⇥2025-05-12T07:00:00Z
    Updated:⇥2026-04-09T18:20:00Z
    Region:⇥fsn1
    Node staging-eu-1:⇥Ready, cx32, cpu 4, memory 7944Mi, pods 110
    Log 1:⇥2026-04-09T18:20:00Z Kubernetes 1.31.4 is running on 1 node.
    $ stackops cluster get prod-eu --json --fields uid,nodes.name,nodes.status
    {"uid":"9c1e4b7a2d5f48309a1b2c3d4e5f6071","nodes":[{"name":"prod-eu-1","status":"Ready"},{"name":"prod-eu-2","status":"Ready"},{"name":"prod-eu-3","status":"Ready"}]}
    $ stackops cluster get prod-uk
    ! error: cluster "prod-uk" not found; did you mean "prod-eu"?
    ! hint: stackops cluster list
    = 3
    $ stackops cluster get ffffffffffffffffffffffffffffffff
    ! error: cluster ffffffffffffffffffffffffffffffff not found
    ! hint: stackops cluster list
    = 3
    $ stackops cluster get
    ! error: missing argument <cluster>
    ! hint: stackops cluster get --help
    = 2
  `));

test('creating one is for the service to refuse', () =>
  transcript(`
    $ stackops cluster create
    ! error: the service does not support this operation (501): Creating clusters is not available yet; it is announced for a later release.
    = 7
    $ stackops cluster create --field name=prod-us --field node_count=3 --field tags=a,b --dry-run
    POST http://sandbox.localhost/api/3/clusters
    Content-Type: application/json

    {"name":"prod-us","node_count":3,"tags":"a,b"}
    $ stackops cluster create --field name
    ! error: --field must be NAME=VALUE, not "name"
    = 2
  `));

test('the servers of a cluster are rebooted by its typed name', () =>
  transcript(`
    $ stackops cluster reboot prod-eu -y
    ! error: "cluster reboot" needs --confirm prod-eu (no terminal); nothing was changed
    ! hint: stackops cluster reboot prod-eu -y --confirm prod-eu
    = 2
    80$ stackops cluster reboot staging-eu
    < staging
    ! Reboot the servers of cluster staging-eu (staging, 1 node, healthy)? Type staging-eu to confirm:
    ! error: the name to type is staging-eu, not "staging"; nothing was changed
    = 2
    80$ stackops cluster reboot 9c1e4b7a2d5f48309a1b2c3d4e5f6071 --strategy serial --group web
    < prod-eu
    ! Reboot the servers of cluster prod-eu (production, 3 nodes, healthy)? Type prod-eu to confirm:
    rebooting cluster 9c1e4b7a2d5f48309a1b2c3d4e5f6071 (action 812, queued)
    $ stackops cluster reboot prod-eu --strategy serial --dry-run
    POST http://sandbox.localhost/api/3/clusters/9c1e4b7a2d5f48309a1b2c3d4e5f6071/reboot_servers
    Content-Type: application/json

    {"strategy":"serial"}
    $ stackops cluster reboot staging-eu --confirm staging-eu --json --fields name,change,action.action_type,action.status,action.resource_id
    {"name":"staging-eu","change":"queued","action":{"action_type":"stack_reboot","status":"queued","resource_id":"ad2f5c8b3e60594bab2c3d4e5f607182"}}
    $ STACKOPS_TOKEN=sandbox_public stackops cluster reboot prod-eu --confirm prod-eu
    ! error: access denied (403): the token has no admin scope
    ! hint: STACKOPS_TOKEN overrides the saved token: set another token, or unset it
    = 5
  `));

test('with --wait the end of a reboot is seen in its action', () =>
  transcript(`
    $ stackops cluster reboot prod-eu --confirm prod-eu --wait
    ! 12:00:00 action 812: queued
    ! 12:00:05 action 812: succeeded: Servers of prod-eu rebooted.
    cluster prod-eu rebooted (9c1e4b7a2d5f48309a1b2c3d4e5f6071, production, 3 nodes, healthy)
    $ stackops cluster reboot prod-eu --confirm prod-eu --wait --json --fields change,action.id,action.finished_success,message
    {"change":"rebooted","action":{"id":813,"finished_success":true},"message":"Servers of prod-eu rebooted."}
    $ stackops cluster reboot prod-eu --confirm prod-eu --wait --wait-timeout 2s
    ! 12:00:10 action 814: queued
    ! 12:00:12 action 814: started
    ! error: action 814 has not finished after 2s (started); it continues
    ! hint: stackops action wait 814 -s 9c1e4b7a2d5f48309a1b2c3d4e5f6071
    rebooting cluster prod-eu (action 814, queued): 9c1e4b7a2d5f48309a1b2c3d4e5f6071, production, 3 nodes, healthy
    = 8
  `));

test('a cluster named by its UID is asked about also by a token that may not list', async () => {
  const uid = '9c1e4b7a2d5f48309a1b2c3d4e5f6071';
  const shown = { uid, name: 'prod-eu', environment: 'production', node_count: 3, health: 0 };
  const { url, seen, close } = await startService(({ method, path }, response) => {
    if (path === '/clusters') return reply(response, { error: 'forbidden' }, 403);
    return reply(response, { response: method === 'GET' ? shown : { id: 812, started_via: 'api' } });
  });
  onTestFinished(close);
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  expect(await run(['cluster', 'reboot', uid, '--confirm', 'prod-eu'], { env })).toMatchObject({ code: 0 });
  expect(seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /clusters',
    `GET /clusters/${uid}`,
    `POST /clusters/${uid}/reboot_servers`,
  ]);
});
