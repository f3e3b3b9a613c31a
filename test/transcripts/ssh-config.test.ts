import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('servers are Host blocks, each behind the gateway that it names itself', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));

test('an open gateway of the account is nothing to a server that names none', transcriptFile);

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const address = '203.0.113.4';
const gateway = { id: 5, name: 'bastion-1', address: '203.0.113.9', username: 'ops', ttl: '2020-01-01T00:00:00Z' };
const behind = { has_deploy_gateway: true, deploy_gateway_address: '203.0.113.9', deploy_gateway_user_name: 'jump' };
const web = { uid: 's1', name: 'web-1', address, int_ipv4: '10.0.0.4', user_name: 'root' };

/** What is printed of these servers of a stack that is called `shop`; a number is the status of a refusal. */
async function configOf(servers: readonly object[], gateways: readonly object[] | number = [], account = ['-a', '42']) {
  const { env } = await startService(({ path }, response) => {
    if (path === '/stacks') return reply(response, { response: [{ uid, name: 'shop', environment: 'production' }] });
    if (path.endsWith('/servers')) return reply(response, { response: servers });
    if (typeof gateways === 'number') return reply(response, { details: 'no' }, gateways);
    return reply(response, { response: gateways });
  });
  return run(['server', 'ssh-config', '-s', 'shop', ...account], { env });
}

const block = (name: string, ...settings: readonly string[]) =>
  [`Host shop-${name}`, ...settings.map((line) => `  ${line}`), ''].join('\n');
const jumped = block('web-1', 'HostName 10.0.0.4', 'ProxyJump jump@203.0.113.9', 'User root');

test('only what a server says of its gateway counts', async () => {
  const open = { ...gateway, ttl: '2035-01-01T00:00:00Z' };
  const said = async (more: object) => (await configOf([{ ...web, ...more }], [open])).stdout;
  const direct = block('web-1', `HostName ${address}`, 'User root');
  expect(await said(behind)).toBe(jumped);
  expect(await said({})).toBe(direct);
  expect(await said({ ...behind, has_deploy_gateway: false })).toBe(direct);
  const through = (jump: string) => block('web-1', 'HostName 10.0.0.4', `ProxyJump ${jump}`, 'User root');
  expect(await said({ ...behind, deploy_gateway_user_name: null })).toBe(through('ops@203.0.113.9'));
  expect(await said({ ...behind, deploy_gateway_user_name: '', deploy_gateway_address: '2001:db8::1' })).toBe(
    through('[2001:db8::1]'),
  );
});

test('a closed gateway that a server needs is a comment that says how to open it, once', async () => {
  const { stdout } = await configOf(
    [
      { ...web, ...behind },
      { ...web, name: 'web-2', ...behind },
    ],
    [gateway],
  );
  expect(stdout).toBe(
    `# gateway bastion-1 is closed; to open it: stackops gateway update 5 --key-file FILE --ttl 8h\n${jumped}${jumped.replace('web-1', 'web-2')}`,
  );
  expect((await configOf([web], [gateway])).stdout).not.toContain('#');
});

test.each([
  [403, 'gateways', ['-a', '42']],
  [404, 'gateways', ['-a', '42']],
  [403, 'accounts', []],
  [404, 'accounts', []],
])('%i of the %s is a comment and a warning; the rest is printed', async (status, _, account) => {
  const { code, stdout, stderr } = await configOf([{ ...web, ...behind }], status, account);
  expect(code).toBe(0);
  const [, why] = /^warning: (the gateways could not be read: .*)$/m.exec(stderr) ?? [];
  expect(stdout).toBe(`# ${why}\n${jumped}`);
});

test('a name or an address of the service cannot add a setting of ssh, a pattern or a host', async () => {
  const { stdout } = await configOf(
    [
      { uid: 's1', name: 'web\n  ProxyCommand touch /tmp/x', address },
      ...['*', '?', 'github.com', 'web_1', 'büro', undefined].map((name) => ({ uid: 's2', name, address })),
      { uid: 's3', name: 'web-3', address: '-oProxyCommand=x' },
      { uid: 's4', name: 'web-4', address, user_name: 'a b' },
      { uid: 's5', name: 'web-5' },
      ...['none', 'a b', '-x', 'a,b', '%h'].map((host) => ({
        ...{ ...web, ...behind, name: 'web-6' },
        ...{ deploy_gateway_address: host, deploy_gateway_user_name: null },
      })),
      { ...web, ...behind, name: 'web-7', deploy_gateway_user_name: 'a\nHost *' },
    ],
    [],
  );
  const leftOut = (name: string, why: string) => `# server ${name} left out: ${why}\n`;
  const unnamed = (name: string) => leftOut(name, 'a name for ssh has letters, digits and "-" only');
  const unfit = (name: string, key: string) => leftOut(name, `its ${key} has characters that ssh could misread`);
  expect(stdout).toBe(
    [
      unnamed('web  ProxyCommand touch /tmp/x'),
      ...['*', '?', 'github.com', 'web_1', 'büro', 's2'].map(unnamed),
      unfit('web-3', 'HostName'),
      unfit('web-4', 'User'),
      leftOut('web-5', 'it has no address'),
      ...Array.from({ length: 5 }, () => unfit('web-6', 'ProxyJump')),
      unfit('web-7', 'ProxyJump'),
    ].join(''),
  );
});

test('of two servers of one name the alias has the UID', async () => {
  const { stdout } = await configOf([web, { ...web, uid: 's2' }]);
  const settings = [`HostName ${address}`, 'User root'];
  expect(stdout).toBe(block('s1', ...settings) + block('s2', ...settings));
});

test.each([
  ['no time', { ttl: null }],
  ['an empty time', { ttl: '' }],
  ['no key', { ttl: '2035-01-01T00:00:00Z', content: 'N/A' }],
])('a gateway with %s is closed', async (_, more) => {
  const { stdout } = await configOf([{ ...web, ...behind }], [{ ...gateway, ...more }]);
  expect(stdout).toContain('# gateway bastion-1 is closed; ');
});
