import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('servers are Host blocks behind the open gateway', () =>
  transcript(`
    $ stackops server ssh-config -s shop
    Host bastion-1
      HostName 203.0.113.7
      User ops
    Host shop-web-1
      HostName 10.0.0.11
      ProxyJump bastion-1
      User root
    Host shop-web-2
      HostName 10.0.0.12
      ProxyJump bastion-1
      User root
    Host shop-db-1
      HostName 10.0.0.21
      ProxyJump bastion-1
      User root
    Host shop-worker-1
      HostName 10.0.0.31
      ProxyJump bastion-1
      User root
    $ stackops server ssh-config -s shop --where server_roles=web --limit 1
    Host bastion-1
      HostName 203.0.113.7
      User ops
    Host shop-web-1
      HostName 10.0.0.11
      ProxyJump bastion-1
      User root
    80$ stackops server ssh-config -s shop --where server_roles=worker
    ! 1 of 4 servers.
    Host bastion-1
      HostName 203.0.113.7
      User ops
    Host shop-worker-1
      HostName 10.0.0.31
      ProxyJump bastion-1
      User root
    $ stackops server ssh-config -s shop --where name=none
    ! No servers match --where.
    $ stackops server ssh-config -s shop --where name=shop-db-1 --jq '.[].gateway'
    {"id":5,"name":"bastion-1","address":"203.0.113.7","username":"ops","is_open":true}
    $ stackops server ssh-config -s shop --columns name,gateway.name
    shop-web-1⇥bastion-1
    shop-web-2⇥bastion-1
    shop-db-1⇥bastion-1
    shop-worker-1⇥bastion-1
    $ stackops server ssh-config -s shop -q
    c1a7d3e95b2f4860a1b2c3d4e5f60718
    d2b8e4fa6c305971b2c3d4e5f6071829
    e3c9f50b7d416a82c3d4e5f60718293a
    16fc83e0a074d5b5f60718293a4b5c6d
    $ stackops server ssh-config -s shop,blog/production
    ! error: "server ssh-config" acts on one stack at a time; give -s one name
    = 2
  `));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
async function configOf(servers: readonly object[], gateways: readonly object[]): Promise<string> {
  const service = await startService(({ path }, response) =>
    reply(response, { response: path.includes('gateways') ? gateways : servers }),
  );
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  return (await run(['server', 'ssh-config', '-s', uid, '-a', '42'], { env })).stdout;
}

test('a closed gateway is a comment that says how to open it, and no server goes through it', async () => {
  const server = { uid: 's1', name: 'web-1', address: '203.0.113.4', int_ipv4: '10.0.0.4', user_name: 'root' };
  const gateway = { id: 5, name: 'bastion-1', address: '203.0.113.9', username: 'ops', ttl: '2020-01-01T00:00:00Z' };
  expect(await configOf([server], [gateway])).toBe(
    '# gateway bastion-1 is closed; to open it: stackops gateway update 5 --key-file FILE --ttl 8h\nHost web-1\n  HostName 203.0.113.4\n  User root\n',
  );
  expect(await configOf([{ uid: 's1', name: 'web-1', address: '203.0.113.4' }], [])).toBe(
    'Host web-1\n  HostName 203.0.113.4\n',
  );
});

test('a name or an address of the service cannot add a setting of ssh', async () => {
  const address = '203.0.113.4';
  const config = await configOf(
    [
      { uid: 's1', name: 'web\n  ProxyCommand touch /tmp/x', address },
      { uid: 's2', name: '*', address },
      { uid: 's3', name: 'web-3', address: '-oProxyCommand=x' },
      { uid: 's4', name: 'web-4', address, user_name: 'a b' },
      { uid: 's5', name: 'web-5' },
    ],
    [],
  );
  const left = (name: string, key: string) => `# host ${name} left out: its ${key} cannot stand in a configuration\n`;
  expect(config).toBe(
    [
      left('webProxyCommandtouchtmpx', 'Host'),
      left('?', 'Host'),
      left('web-3', 'HostName'),
      left('web-4', 'User'),
      left('web-5', 'HostName'),
    ].join(''),
  );
});
