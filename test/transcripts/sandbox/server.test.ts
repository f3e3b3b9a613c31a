import { expect, test } from 'vitest';
import { at, freshSandbox, justStarted, refusal, response, rows, shop, webServer } from './fresh-sandbox.ts';

const servers = `/stacks/${shop}/servers`;
const settings = `${servers}/${webServer}/settings`;

test('lists the servers of a stack, each with a name of its own', async () => {
  const { ask } = await freshSandbox();
  expect(rows(await ask(`GET ${servers}`)).map(({ name, health_state }) => [name, health_state])).toEqual([
    ['shop-web-1', 3],
    ['shop-web-2', 2],
    ['shop-db-1', 3],
    ['shop-worker-1', 3],
  ]);
});

test('a server that reboots is of unknown health, and healthy three seconds later', async () => {
  const { ask, pass } = await freshSandbox();
  const health = async () =>
    at(await ask(`GET ${servers}/d2b8e4fa6c305971b2c3d4e5f6071829`), 'body.response.health_state');
  expect(response(await ask(`POST ${servers}/d2b8e4fa6c305971b2c3d4e5f6071829/reboot`))).toEqual({
    ok: true,
    message: 'Server shop-web-2 queued for reboot',
  });
  expect(await health()).toBe(0);
  pass(3);
  expect(await health()).toBe(3);
  expect(rows(await ask(`GET /stacks/${shop}/actions`))[0]).toMatchObject({ id: 812, action: 'server_reboot' });
});

test('settings come with their ids to those with the scope admin, and with warnings to the others', async () => {
  const { ask } = await freshSandbox();
  const [item] = rows(await ask(`GET ${settings}`));
  expect(item).toEqual({
    id: 2101,
    key: 'server.name',
    value: 'shop-web-1',
    readonly: false,
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-01-19T11:42:00Z',
  });
  expect(rows(await ask(`GET ${settings}`, undefined, 'sandbox_admin'))[0]).toEqual(item);
  expect(rows(await ask(`GET ${settings}`, undefined, 'sandbox_public'))).toEqual([
    { key: 'server.name', value: 'shop-web-1', readonly: false, warning_text: 'Its name in DNS changes too.' },
    { key: 'disk.space.alert.threshold', value: 80, readonly: false, warning_text: '' },
    { key: 'agent.version', value: '3.4.1', readonly: true, warning_text: '' },
    { key: 'agent.autoupdate', value: true, readonly: false, warning_text: 'The agent restarts.' },
    { key: 'notification.email', value: null, readonly: false, warning_text: '' },
  ]);
  expect(refusal(await ask(`GET ${settings}`, undefined, 'sandbox_users'))).toEqual([
    403,
    'the access token lacks the scope public',
  ]);
});

test('another name of a server shows after three seconds, also at its processes', async () => {
  const { ask, pass } = await freshSandbox();
  expect(response(await ask(`PUT ${settings}/server-name`, { value: 'shop-front' }))).toEqual({
    ...justStarted,
    resource_type: 'server',
    action: 'server-set: server.name',
    resource_id: webServer,
  });
  pass(2);
  expect(response(await ask(`GET ${settings}/2101`))).toEqual({ key: 'server.name', value: 'shop-web-1' });
  pass(1);
  expect(response(await ask(`GET ${settings}/2101`))).toEqual({ key: 'server.name', value: 'shop-front' });
  expect(response(await ask(`GET ${servers}/${webServer}`))).toMatchObject({ name: 'shop-front' });
  expect(at(response(await ask(`GET /stacks/${shop}/processes/worker`)), '0.servers')).toEqual({
    'shop-front': 1,
    'shop-worker-1': 3,
  });
  expect(response(await ask(`GET /stacks/${shop}/actions/812`))).toMatchObject({
    finished_at: '2026-04-16T08:00:03Z',
    finished_success: true,
    finished_message: 'Setting server.name changed.',
  });
});

test.each<readonly [line: string, body: unknown, status: number, details: string]>([
  [`GET /stacks/none/servers`, undefined, 404, 'stack "none" not found'],
  [`GET ${servers}/none`, undefined, 404, 'server "none" not found'],
  [`POST ${servers}/none/reboot`, undefined, 404, 'server "none" not found'],
  [`POST ${servers}/${webServer}/reboot`, { now: true }, 400, 'unknown parameter "now"'],
  [`GET ${settings}/server.name`, undefined, 404, 'setting "server.name" not found'],
  [`PUT ${settings}/server-name`, {}, 400, 'parameter "value" is missing'],
  [`PUT ${settings}/server-name`, { value: 'a b' }, 400, '"a b" is not a valid server name'],
  [`PUT ${settings}/server-name`, { value: 'shop-db-1' }, 400, 'server "shop-db-1" already exists'],
  [`PUT ${settings}/agent-version`, { value: '4' }, 400, 'setting "agent.version" is read-only'],
  [
    `PUT ${settings}/disk-space-alert-threshold`,
    { value: 'much' },
    400,
    'setting "disk.space.alert.threshold" takes a whole number; got "much"',
  ],
])('refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});
