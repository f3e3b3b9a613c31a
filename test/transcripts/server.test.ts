import { test } from 'vitest';
import { transcript } from '../support/transcript.ts';

test('servers are listed in the order of the service', () =>
  transcript(`
    80$ stackops server list -s shop
    NAME           HEALTH    ROLES              ADDRESS       REGION  DISTRO
    shop-web-1     healthy   web                203.0.113.11  fsn1    ubuntu
    shop-web-2     impaired  web                203.0.113.12  fsn1    ubuntu
    shop-db-1      healthy   postgresql, redis  203.0.113.21  fsn1    ubuntu
    shop-worker-1  healthy   worker             203.0.113.31  fsn1    ubuntu
    120$ stackops server list -s shop
    NAME           HEALTH    ROLES              ADDRESS       REGION  DISTRO  UID
    shop-web-1     healthy   web                203.0.113.11  fsn1    ubuntu  c1a7d3e95b2f4860a1b2c3d4e5f60718
    shop-web-2     impaired  web                203.0.113.12  fsn1    ubuntu  d2b8e4fa6c305971b2c3d4e5f6071829
    shop-db-1      healthy   postgresql, redis  203.0.113.21  fsn1    ubuntu  e3c9f50b7d416a82c3d4e5f60718293a
    shop-worker-1  healthy   worker             203.0.113.31  fsn1    ubuntu  16fc83e0a074d5b5f60718293a4b5c6d
    $ stackops server list -s shop --columns name,health_state,server_roles,ext_ipv4
    shop-web-1⇥healthy⇥web⇥203.0.113.11
    shop-web-2⇥impaired⇥web⇥203.0.113.12
    shop-db-1⇥healthy⇥postgresql, redis⇥203.0.113.21
    shop-worker-1⇥healthy⇥worker⇥203.0.113.31
    $ stackops server list -s shop -q
    c1a7d3e95b2f4860a1b2c3d4e5f60718
    d2b8e4fa6c305971b2c3d4e5f6071829
    e3c9f50b7d416a82c3d4e5f60718293a
    16fc83e0a074d5b5f60718293a4b5c6d
  `));

test('a terminal shows which servers are behind a gateway, where one is', () =>
  transcript(
    `
    80$ stackops server list -s shop
    NAME           HEALTH    ROLES             ADDRESS       GATEWAY  REGION  DISTRO
    shop-web-1     healthy   web               203.0.113.11  yes      fsn1    ubuntu
    shop-web-2     impaired  web               203.0.113.12  yes      fsn1    ubuntu
    shop-db-1      healthy   postgresql, red…  203.0.113.21  yes      fsn1    ubuntu
    shop-worker-1  healthy   worker            203.0.113.31  yes      fsn1    ubuntu
    80$ stackops server list -s shop,blog/production
    STACK            NAME           HEALTH    ROLES            ADDRESS       GATEWAY
    shop             shop-web-1     healthy   web              203.0.113.11  yes
    shop             shop-web-2     impaired  web              203.0.113.12  yes
    shop             shop-db-1      healthy   postgresql, re…  203.0.113.21  yes
    shop             shop-worker-1  healthy   worker           203.0.113.31  yes
    blog/production  blog-1         healthy   web, postgresql  203.0.113.51  yes
    $ stackops server list -s shop --limit 1
    shop-web-1⇥healthy⇥web⇥203.0.113.11⇥fsn1⇥ubuntu⇥c1a7d3e95b2f4860a1b2c3d4e5f60718
    $ stackops server list -s shop --limit 1 --output table
    NAME        HEALTH   ROLES  ADDRESS       REGION  DISTRO  UID
    shop-web-1  healthy  web    203.0.113.11  fsn1    ubuntu  c1a7d3e95b2f4860a1b2c3d4e5f60718
    $ stackops server list -s shop --limit 1 --fields name,has_deploy_gateway
    shop-web-1⇥yes
    $ stackops gateway update bastion-1 --ttl 0
    gateway bastion-1: closed (no undo)
    80$ stackops server list -s shop --where server_roles=worker
    ! 1 of 4 servers.
    NAME           HEALTH   ROLES   ADDRESS       REGION  DISTRO
    shop-worker-1  healthy  worker  203.0.113.31  fsn1    ubuntu
    `,
    {},
    { replies: 'actions' },
  ));

test('one server is shown by its name or UID', () =>
  transcript(`
    80$ stackops server get shop-web-1 -s shop
    UID:                c1a7d3e95b2f4860a1b2c3d4e5f60718
    Name:               shop-web-1
    Health:             healthy
    Roles:              web
    Address:            203.0.113.11
    External IPv4:      203.0.113.11
    Internal IPv4:      10.0.0.11
    External IPv6:      2001:db8:4::11
    Internal IPv6:      -
    DNS record:         shop-web-1.harbour.example
    Distro:             ubuntu
    Distro version:     22.04
    Region:             fsn1
    Availability zone:  fsn1-dc14
    Type:               D
    Server group ID:    20
    Stack UID:          5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60
    Vendor UID:         40627503
    Username:           root
    Agent:              yes
    Parameters:         availability_zone=fsn1-dc14, size=cx22, region=fsn1,
                        containerservice_instance_profile=-
    Created:            2y ago (2024-02-06T08:22:00Z)
    Updated:            63d ago (2026-03-02T05:10:00Z)
    $ stackops server get c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop --json --fields name,server_roles,health_state
    {"name":"shop-web-1","server_roles":["web"],"health_state":3}
    $ stackops server get shop-wb-1 -s shop
    ! error: server "shop-wb-1" not found; did you mean "shop-web-1"?
    ! hint: stackops server list -s shop
    = 3
    $ stackops server get zzz -s shop
    ! error: server "zzz" not found
    ! hint: stackops server list -s shop
    = 3
    $ stackops server get shop/web -s shop
    ! error: <server> must be an identifier without / \\ ? # % ; or control characters, not "shop/web"
    = 2
    $ stackops server get 00000000000000000000000000000000 -s shop
    ! error: server 00000000000000000000000000000000 not found in shop/production
    ! hint: stackops server list -s shop
    = 3
    $ stackops server get -s shop
    ! error: missing argument <server>
    ! hint: stackops server get --help
    = 2
  `));

test('a server is rebooted after a question', () =>
  transcript(`
    80$ stackops server reboot shop-db-1 -s shop
    < n
    ! Reboot server shop-db-1 (of shop/production, postgresql and redis, healthy)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops server reboot shop-web-2 -s shop
    ! error: "server reboot" needs -y (no terminal); nothing was changed
    ! hint: stackops server reboot shop-web-2 -s shop -y
    = 2
    80$ stackops server reboot c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop
    < y
    ! Reboot server shop-web-1 (of shop/production, web, healthy)? [y/N]
    rebooting server c1a7d3e95b2f4860a1b2c3d4e5f60718 (queued)
    $ stackops server reboot shop-web-2 -s shop -y --json
    {"uid":"d2b8e4fa6c305971b2c3d4e5f6071829","name":"shop-web-2","change":"queued","before":{"uid":"d2b8e4fa6c305971b2c3d4e5f6071829","vendor_uid":"40441017","name":"shop-web-2","address":"203.0.113.12","distro":"ubuntu","distro_version":"22.04","dns_record":"shop-web-2.harbour.example","user_name":"root","server_type":"D","server_roles":["web"],"server_group_id":20,"stack_uid":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","has_agent":true,"params":{"availability_zone":"fsn1-dc14","size":"cx22","region":"fsn1","containerservice_instance_profile":null},"created_at":"2024-02-06T08:22:00Z","updated_at":"2026-03-02T05:10:00Z","region":"fsn1","availability_zone":"fsn1-dc14","ext_ipv4":"203.0.113.12","int_ipv4":"10.0.0.12","int_ipv6":null,"ext_ipv6":"2001:db8:4::12","health_state":2},"after":{"uid":"d2b8e4fa6c305971b2c3d4e5f6071829","vendor_uid":"40441017","name":"shop-web-2","address":"203.0.113.12","distro":"ubuntu","distro_version":"22.04","dns_record":"shop-web-2.harbour.example","user_name":"root","server_type":"D","server_roles":["web"],"server_group_id":20,"stack_uid":"5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60","has_agent":true,"params":{"availability_zone":"fsn1-dc14","size":"cx22","region":"fsn1","containerservice_instance_profile":null},"created_at":"2024-02-06T08:22:00Z","updated_at":"2026-03-02T05:10:00Z","region":"fsn1","availability_zone":"fsn1-dc14","ext_ipv4":"203.0.113.12","int_ipv4":"10.0.0.12","int_ipv6":null,"ext_ipv6":"2001:db8:4::12","health_state":2},"action":null,"message":"Server shop-web-2 queued for reboot","error":null}
    $ stackops server reboot shop-web-3 -s shop -y
    ! error: server "shop-web-3" not found; did you mean "shop-web-1"?
    ! hint: stackops server list -s shop
    = 3
    80$ stackops server reboot 00000000000000000000000000000000 -s shop
    ! error: server "00000000000000000000000000000000" not found
    ! hint: stackops server list -s shop
    = 3
    $ stackops server reboot shop-db-1 -s shop --dry-run
    POST http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/servers/e3c9f50b7d416a82c3d4e5f60718293a/reboot
  `));

test('with --wait the end of a reboot is seen in its action', () =>
  transcript(`
    $ stackops server reboot shop-web-2 -s shop -y --wait
    ! 12:00:00 the reboot: started
    ! 12:00:05 the reboot: succeeded: Server shop-web-2 rebooted.
    server shop-web-2 rebooted (d2b8e4fa6c305971b2c3d4e5f6071829, web, impaired)
    $ stackops server reboot shop-web-2 -s shop -y --wait --json --fields name,change,action.id,action.finished_success,message
    {"name":"shop-web-2","change":"rebooted","action":{"id":813,"finished_success":true},"message":"Server shop-web-2 rebooted."}
    $ stackops server reboot shop-web-2 -s shop -y --wait --wait-timeout 2s
    ! 12:00:10 the reboot: started
    ! error: the reboot has not finished after 2s (started); it continues
    ! hint: stackops action wait 814 -s shop
    rebooting server shop-web-2 (action 814, queued): d2b8e4fa6c305971b2c3d4e5f6071829, web, healthy
    = 8
  `));
