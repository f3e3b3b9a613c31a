import { describe, expect, test } from 'vitest';
import { hintText } from '../../../src/contract/command-line.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { everyOperation } from '../../../src/resources/index.ts';
import { faultOf } from '../../support/printed-commands.ts';
import { startService } from '../../support/service.ts';
import { clientOf, problemOf } from './clients.ts';

const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const offer = 'this service does not offer';
const show = 'this service does not show';

/** By operation: what a 404 is said to mean in a stack that was found by its name, and the list that helps. */
const lines: readonly (readonly [id: string, message: string, hint?: string])[] = [
  ['accounts.get', 'account 42 not found', 'account list'],
  ['actions.get', `action 9 not found in shop/production, or ${show} single actions (404)`, 'action list -s shop'],
  ['actions.list', `${offer} "GET /stacks/:stack_id/actions" (404)`],
  ['backups.create', 'backups not found in shop/production'],
  ['backups.files', 'backup 901 not found in shop/production', 'backup list -s shop'],
  ['backups.get', 'backup 9 not found in shop/production', 'backup list -s shop'],
  ['backups.import', 'backup group 12 not found in shop/production'],
  ['backups.link', 'file 9 of backup 901 not found in shop/production', 'backup files 901 -s shop'],
  ['backups.list', 'backups not found in shop/production'],
  ['clusters.get', 'cluster 9 not found', 'cluster list'],
  ['clusters.reboot', 'cluster 9 not found', 'cluster list'],
  ['databaseUsers.create', 'database users not found in server group 21 of shop/production'],
  [
    'databaseUsers.delete',
    'database user 9 not found in server group 21 of shop/production',
    'db user list -s shop -g 21',
  ],
  ['databaseUsers.list', 'server group 21 not found in shop/production'],
  [
    'databaseUsers.regeneratePassword',
    'database user 9 not found in server group 21 of shop/production',
    'db user list -s shop -g 21',
  ],
  ['databases.create', 'databases not found in server group 21 of shop/production'],
  ['databases.delete', 'database 9 not found in server group 21 of shop/production', 'db list -s shop -g 21'],
  ['databases.list', 'server group 21 not found in shop/production'],
  ['deployments.cancel', 'deployment 999 not found in shop/production', 'deployment list -s shop'],
  ['deployments.create', 'deployments not found in shop/production'],
  ['deployments.get', 'deployment 999 not found in shop/production', 'deployment list -s shop'],
  ['deployments.list', 'deployments not found in shop/production'],
  ['devices.create', 'user 9 not found', 'user list'],
  ['devices.delete', 'device of user 9 not found', 'user get 9'],
  ['devices.update', 'device of user 9 not found', 'user get 9'],
  ['environments.create', 'environments not found in shop/production'],
  ['environments.delete', 'environment variable LOG_LEVEL not found in shop/production', 'stack env list -s shop'],
  ['environments.get', 'environment variable 5 not found in shop/production', 'stack env list -s shop'],
  ['environments.list', 'environments not found in shop/production'],
  ['environments.update', 'environment variable LOG_LEVEL not found in shop/production', 'stack env list -s shop'],
  ['gateways.create', 'gateways not found in account 42'],
  ['gateways.delete', 'gateway 9 not found in account 42', 'gateway list -a 42'],
  ['gateways.list', 'account 42 not found'],
  ['gateways.update', 'gateway 9 not found in account 42', 'gateway list -a 42'],
  ['processes.get', 'process 9 not found in shop/production', 'process list -s shop'],
  ['processes.list', 'processes not found in shop/production'],
  ['processes.scale', 'process 9 not found in shop/production', 'process list -s shop'],
  ['serverGroups.list', `${offer} "GET /stacks/:stack_id/server_groups" (404)`],
  ['serverSettings.get', 'setting 9 of server c1a7 not found in shop/production', 'server settings list c1a7 -s shop'],
  ['serverSettings.list', 'server c1a7 not found in shop/production', 'server list -s shop'],
  [
    'serverSettings.update',
    'setting 9 of server c1a7 not found in shop/production',
    'server settings list c1a7 -s shop',
  ],
  ['servers.get', 'server c1a7 not found in shop/production', 'server list -s shop'],
  ['servers.list', 'servers not found in shop/production'],
  ['servers.reboot', 'server c1a7 not found in shop/production', 'server list -s shop'],
  ['stackSettings.get', 'setting 9 not found in shop/production', 'stack settings list -s shop'],
  ['stackSettings.list', 'settings not found in shop/production'],
  ['stackSettings.update', 'setting 9 not found in shop/production', 'stack settings list -s shop'],
  ['stacks.get', `${offer} "GET /stacks/:id" (404)`],
  ['tags.clear', 'server/c1a7 not found'],
  ['tags.list', 'server/c1a7 not found'],
  ['tags.patch', 'server/c1a7 not found'],
  ['tags.replace', 'server/c1a7 not found'],
  ['users.get', 'user 9 not found', 'user list'],
  ['users.update', 'user 9 not found', 'user list'],
  ['variants.delete', 'variant 9 not found in shop/production', 'variant list -s shop'],
  ['variants.list', 'application variants not found in shop/production'],
  ['variants.update', 'variant 9 not found in shop/production', 'variant list -s shop'],
];

/** What is typed for the parts of any path. */
const ids: Readonly<Record<string, unknown>> = {
  id: '9',
  stack_id: stack,
  server_group_id: '21',
  account_id: 42,
  deployment_id: 999,
  backup_id: 901,
  env_var_id: 5,
  env_var_key: 'LOG_LEVEL',
  server_id: 'c1a7',
  entity_type: 'server',
  entity_id: 'c1a7',
  group: 12,
  token: 'device-token-1',
};
const places: Readonly<Record<string, unknown>> = { stack, account: 42 };

function inputOf({ params }: Operation): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.keys(params).map((name) => [name, places[params[name].target] ?? ids[name]]));
}

const operations = new Map(everyOperation());

async function missing(id: string, said: unknown, title: string | undefined) {
  const body = typeof said === 'string' ? said : JSON.stringify(said);
  const { url } = await startService((_, response) => response.writeHead(404).end(body));
  const { api } = await clientOf(new URL(url), { api: { titleOfStack: () => title } });
  const operation = operations.get(id) ?? expect.fail(`no operation ${id}`);
  const { message, details } = await problemOf(api.call(operation, inputOf(operation)));
  const destination = { flags: [], stackName: () => (title === undefined ? stack : 'shop') };
  return {
    message,
    hint: details.hint && hintText(details.hint, destination),
    doubtsAddress: details.doubtsAddress ?? false,
  };
}

describe('a 404 says what was not found, and where', () => {
  test.each(lines.map(([id, message, list]) => ({ id, message, list })))('$id', async ({ id, message, list }) => {
    const got = await missing(id, { error: 'not_found' }, 'shop/production');
    expect([got.message, got.hint]).toEqual([message, list && `stackops ${list}`]);
    if (got.hint !== undefined) expect(await faultOf(got.hint, [])).toBeUndefined();
  });

  test('of every operation with an id', () => {
    const named = everyOperation().flatMap(([id, { path }]) => (path.includes(':') ? [id] : []));
    expect(lines.map(([id]) => id)).toEqual(named.toSorted());
  });

  test.each([
    ['variants.list', `stack ${stack} not found`],
    ['databases.list', `server group 21 not found in stack ${stack}`],
    ['deployments.create', `deployments not found in stack ${stack}`],
    ['actions.list', `stack ${stack} not found, or ${show} actions (404)`],
    ['serverGroups.list', `stack ${stack} not found, or ${show} server groups (404)`],
    ['stacks.get', `stack ${stack} not found, or ${show} single stacks (404)`],
  ])('%s in a stack that was given by its UID', async (id, message) => {
    const got = await missing(id, { error: 'not_found' }, undefined);
    expect([got.message, got.hint]).toEqual([message, 'stackops stack list']);
  });

  test('of a stack given by its UID that answered before, its part is what was not found', async () => {
    const service = await startService(({ path }, response) => {
      const isStack = path.endsWith(`/stacks/${stack}.json`) || path.endsWith(`/stacks/${stack}`);
      response.writeHead(isStack ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isStack ? { response: { uid: stack, name: 'shop' } } : { error: 'not_found' }));
    });
    const { api } = await clientOf(new URL(service.url), { api: { titleOfStack: () => undefined } });
    const list = operations.get('deployments.list') ?? expect.fail();
    const before = await problemOf(api.call(list, { stack_id: stack }));
    await api.call(operations.get('stacks.get') ?? expect.fail(), { id: stack });
    const after = await problemOf(api.call(list, { stack_id: stack }));
    expect([before.message, after.message]).toEqual([
      `stack ${stack} not found`,
      `deployments not found in stack ${stack}`,
    ]);
    expect([before.details.hint, after.details.hint]).toEqual([{ path: 'stack list' }, undefined]);
  });

  test.each([
    ['deployment 999 not found', ''],
    ['Deployment 999 could not be found.', ''],
    ['it was deleted by Mara', ': it was deleted by Mara'],
  ])('the words "%s" follow where they say more', async (details, more) => {
    const { message } = await missing('deployments.get', { error: 'not_found', details }, 'shop/production');
    expect(message).toBe(`deployment 999 not found in shop/production${more}`);
  });

  test.each<[string, unknown, boolean]>([
    ['deployments.get', { error: 'not_found' }, false],
    ['accounts.get', { error: 'not_found' }, false],
    ['deployments.get', '<!doctype html><title>Oops</title>', true],
    ['deployments.get', 'no such page', true],
    ['deployments.get', { path: '/stacks' }, true],
    ['deployments.list', { error: 'not_found' }, true],
    ['clusters.list', { error: 'not_found' }, true],
  ])('%s answered with %j: the address is in doubt: %s', async (id, said, doubtsAddress) => {
    expect(await missing(id, said, 'shop/production')).toMatchObject({ doubtsAddress });
  });
});
