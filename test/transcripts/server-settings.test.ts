import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('settings are listed in the order of the service', () =>
  transcript(`
    80$ stackops server settings list shop-web-1 -s shop
    KEY                         VALUE       READ-ONLY  WARNING  UPDATED
    server.name                 shop-web-1  no         -        105d ago
    disk.space.alert.threshold  80          no         -        105d ago
    agent.version               3.4.1       yes        -        105d ago
    agent.autoupdate            true        no         -        105d ago
    notification.email          -           no         -        105d ago
    $ stackops server settings list c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop --json --fields key,value
    [{"key":"server.name","value":"shop-web-1"},{"key":"disk.space.alert.threshold","value":80},{"key":"agent.version","value":"3.4.1"},{"key":"agent.autoupdate","value":true},{"key":"notification.email","value":null}]
    $ stackops server settings list shop-web-9 -s shop
    ! error: server "shop-web-9" not found; did you mean "shop-web-1"?
    ! hint: stackops server list -s shop
    = 3
    $ stackops server settings list -s shop
    ! error: missing argument <server>
    ! hint: stackops server settings list --help
    = 2
  `));

test('one value is printed bare', () =>
  transcript(`
    $ stackops server settings get shop-web-1 server.name -s shop
    shop-web-1
    $ stackops server settings get shop-web-1 disk.space.alert.threshold -s shop
    80
    $ stackops server settings get shop-web-1 agent.autoupdate -s shop --json --fields value
    {"value":true}
    $ stackops server settings get shop-web-1 server.nam -s shop
    ! error: setting "server.nam" not found; did you mean "server.name"?
    ! hint: stackops server settings list shop-web-1 -s shop
    = 3
    $ stackops server settings get shop-web-1 -s shop
    ! error: missing argument <KEY>
    ! hint: stackops server settings get --help
    = 2
  `));

test('set says what was and what will be', () =>
  transcript(`
    $ stackops server settings set shop-web-1 server.name=shop-web-7 -s shop
    ! undo: stackops action wait 812 -s shop && stackops server settings set c1a7d3e95b2f4860a1b2c3d4e5f60718 server.name=shop-web-1 -s shop
    updating server.name (action 812, queued): shop-web-1 -> shop-web-7
    $ stackops server settings set shop-web-1 disk.space.alert.threshold=85 -s shop --wait
    ! 12:00:00 action 813: started
    ! 12:00:05 action 813: succeeded: Setting disk.space.alert.threshold changed.
    ! undo: stackops server settings set shop-web-1 disk.space.alert.threshold=80 -s shop
    disk.space.alert.threshold updated (80 -> 85)
    +5s
    $ stackops history show 2 --json --fields undo
    {"undo":"stackops server settings set c1a7d3e95b2f4860a1b2c3d4e5f60718 disk.space.alert.threshold=80 -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60"}
    $ stackops server settings get shop-web-7 server.name -s shop
    shop-web-7
    $ stackops server settings set shop-web-7 disk.space.alert.threshold=85 -s shop
    disk.space.alert.threshold unchanged (85)
    $ stackops server settings set shop-web-7 disk.space.alert.threshold=90 -s shop --json
    [{"key":"disk.space.alert.threshold","server_uid":"c1a7d3e95b2f4860a1b2c3d4e5f60718","change":"queued","before":85,"after":"90","action":{"id":814,"user":"ada@harbour.example","resource_type":"server","action":"server-set: disk.space.alert.threshold","resource_id":"c1a7d3e95b2f4860a1b2c3d4e5f60718","started_via":"api","started_at":"2026-05-04T12:00:10Z","finished_at":null,"finished_success":null,"finished_message":null},"message":null,"error":null}]
    $ stackops server settings set shop-web-7 server.name=shop-db-1 -s shop
    ! error: the service refused the request (400): server "***" already exists
    = 6
    $ stackops server settings set shop-web-7 disk.space.alert.threshold=1 agent.version=4 -s shop
    ! error: agent.version is read-only; nothing was changed
    = 6
    $ stackops server settings set shop-web-1 server.name=x -s shop
    ! error: server "shop-web-1" not found; did you mean "shop-web-7"?
    ! hint: stackops server list -s shop
    = 3
    $ stackops server settings set shop-web-7 server.name -s shop
    ! error: "server.name" has no "=": write server.name=VALUE
    = 2
    $ stackops server settings set shop-web-7 -s shop
    ! error: missing argument <KEY=VALUE...>
    ! hint: stackops server settings set --help
    = 2
  `));
