import { expect, test } from 'vitest';
import type { Reply } from '../../src/contract/reply.ts';
import { everyOperation } from '../../src/resources/index.ts';
import { checkFields } from '../../src/sandbox/check.ts';
import { at, cluster, rig, shop, webServer } from './rig.ts';

/** One request for every operation, in an order in which all of them succeed. */
const requests: Readonly<Record<string, readonly [line: string, body?: unknown]>> = {
  'accounts.list': ['GET /accounts'],
  'accounts.get': ['GET /accounts/42?include_servers=true'],
  'accounts.otp': ['POST /accounts/otp'],
  'pings.auth': ['GET /ping/auth'],
  'stacks.list': ['GET /stacks'],
  'stacks.get': [`GET /stacks/${shop}`],
  'serverGroups.list': [`GET /stacks/${shop}/server_groups`],
  'environments.list': [`GET /stacks/${shop}/environments`],
  'environments.get': [`GET /stacks/${shop}/environments/504`],
  'environments.create': [`POST /stacks/${shop}/environments`, { key: 'A', value: 'x y' }],
  'environments.update': [`PUT /stacks/${shop}/environments/A`, { value: '' }],
  'environments.delete': [`DELETE /stacks/${shop}/environments/A`],
  'deployments.list': [`GET /stacks/${shop}/deployments`],
  'deployments.get': [`GET /stacks/${shop}/deployments/1041`],
  'deployments.create': [`POST /stacks/${shop}/deployments`, { git_ref: 'main', user_reference: 'ci-4711' }],
  'deployments.cancel': [`DELETE /stacks/${shop}/deployments/1042`],
  'variants.list': [`GET /stacks/${shop}/application_variants`],
  'variants.update': [
    `PUT /stacks/${shop}/application_variants/va-canary`,
    { operation: 'percentage', canary_percentage: '25' },
  ],
  'variants.delete': [`DELETE /stacks/${shop}/application_variants/va-preview`],
  'databases.list': [`GET /stacks/${shop}/server_groups/21/databases`],
  'databases.create': [
    `POST /stacks/${shop}/server_groups/21/databases`,
    { database_name: 'reports', database_user_ids: ['du7c2'] },
  ],
  'databases.delete': [`DELETE /stacks/${shop}/server_groups/21/databases/db5a1`],
  'databaseUsers.list': [`GET /stacks/${shop}/server_groups/21/database_users?show_password=true`],
  'databaseUsers.create': [
    `POST /stacks/${shop}/server_groups/21/database_users`,
    { username: 'reporting', user_type: 'readonly', database_ids: ['db5a1'] },
  ],
  'databaseUsers.regeneratePassword': [
    `POST /stacks/${shop}/server_groups/21/database_users/du7c2/regenerate_password`,
  ],
  'databaseUsers.delete': [`DELETE /stacks/${shop}/server_groups/21/database_users/du7c3`],
  'tags.list': [`GET /tags/server/${webServer}`],
  'tags.replace': [`POST /tags/server/${webServer}`, { tags: ['eu', 'web'] }],
  'tags.patch': [`PATCH /tags/server/${webServer}`, { operations: [{ op: 'add', tags: ['new'] }] }],
  'tags.clear': [`DELETE /tags/loadbalancer/3301`],
  'gateways.list': ['GET /accounts/42/gateways'],
  'gateways.create': ['POST /accounts/42/gateways', { name: 'bastion-3', address: '203.0.113.9', ttl: 3600 }],
  'gateways.update': ['PUT /accounts/42/gateways/6', { content: 'a key', ttl: '28800' }],
  'gateways.delete': ['DELETE /accounts/42/gateways/6'],
  'backups.list': [`GET /stacks/${shop}/backups?group=12&db_type=postgresql`],
  'backups.get': [`GET /stacks/${shop}/backups/901`],
  'backups.files': [`GET /stacks/${shop}/backups/903/files`],
  'backups.link': [`GET /stacks/${shop}/backups/903/files/tar-ab`],
  'backups.create': [
    `POST /stacks/${shop}/backups`,
    {
      db_type: 'postgresql,redis',
      frequency: '0 3 * * *',
      keep_count: 7,
      gzip: true,
      excluded_tables: 'logs',
      run_on_replica_server: false,
    },
  ],
  'backups.import': [
    `POST /stacks/${shop}/backups`,
    { group: 12, db_type: 'postgresql', remote_url: 'https://files.example/shop.tar' },
  ],
  'stackSettings.list': [`GET /stacks/${shop}/settings`],
  'stackSettings.get': [`GET /stacks/${shop}/settings/custom-build-command`],
  'stackSettings.update': [`PUT /stacks/${shop}/settings/git-branch`, { value: 'main' }],
  'servers.list': [`GET /stacks/${shop}/servers`],
  'servers.get': [`GET /stacks/${shop}/servers/${webServer}`],
  'servers.reboot': [`POST /stacks/${shop}/servers/${webServer}/reboot`],
  'serverSettings.list': [`GET /stacks/${shop}/servers/${webServer}/settings`],
  'serverSettings.get': [`GET /stacks/${shop}/servers/${webServer}/settings/server-name`],
  'serverSettings.update': [
    `PUT /stacks/${shop}/servers/${webServer}/settings/disk-space-alert-threshold`,
    { value: '90' },
  ],
  'processes.list': [`GET /stacks/${shop}/processes?server_uid=${webServer}`],
  'processes.get': [`GET /stacks/${shop}/processes/worker`],
  'processes.scale': [
    `POST /stacks/${shop}/processes/worker/scale`,
    { process_name: 'worker', server_count: { [webServer]: 3 } },
  ],
  'clusters.list': ['GET /clusters'],
  'clusters.get': [`GET /clusters/${cluster}?show_log=true`],
  'clusters.create': ['POST /clusters', { name: 'third-eu', anything: [1, null] }],
  'clusters.reboot': [`POST /clusters/${cluster}/reboot_servers`, { strategy: 'serial', group: 'web' }],
  'users.list': ['GET /users'],
  'users.get': ['GET /users/7'],
  'users.update': ['PUT /users/8', { access_profile: { account_profile: { can_payment: true } }, locked: true }],
  'devices.create': ['POST /users/8/devices', { device_type: 1, sub_type: 2, token: 'sandbox-device-tablet' }],
  'devices.update': ['PUT /users/8/devices', { device_type: 1, sub_type: 1, token: 'sandbox-device-tablet' }],
  'devices.delete': ['DELETE /users/8/devices/sandbox-device-tablet'],
  'actions.list': [`GET /stacks/${shop}/actions`],
  'actions.get': [`GET /stacks/${shop}/actions/812`],
  'reference.clouds': ['GET /reference/clouds'],
  'reference.webserverModules': ['GET /reference/webserver_modules'],
};

test('answers every operation of the catalogue in its envelope and with exactly its fields', async () => {
  const { ask } = await rig();
  const operations = new Map(everyOperation());
  expect(Object.keys(requests).toSorted()).toEqual([...operations.keys()].toSorted());
  for (const [id, [line, body]] of Object.entries(requests)) {
    const answer = await ask(line, body);
    expect([id, answer.status]).toEqual([id, id === 'clusters.create' ? 501 : 200]);
    const reply = operations.get(id)?.reply;
    if (reply) expect(valuesIn(reply, answer.body, id)).toEqual(rawValues(reply, answer.body));
  }
});

/** The reply read through its record: unknown, missing and ill-typed fields throw, and conversions would differ. */
function valuesIn(reply: Reply, body: unknown, id: string): readonly unknown[] {
  const fields = reply.record?.fields;
  return rawValues(reply, body).map((row) =>
    fields ? checkFields(fields, row as Readonly<Record<string, unknown>>, { strict: true, where: `${id}: ` }) : row,
  );
}

function rawValues({ envelope }: Reply, body: unknown): readonly unknown[] {
  if (envelope === 'nothing') {
    expect(body).toBeUndefined();
    return [];
  }
  if (envelope === 'bare') expect(body).not.toHaveProperty('response');
  const inner = envelope === 'bare' ? body : at(body, 'response');
  if (envelope === 'page' || envelope === 'sole') expect(body).toHaveProperty('pagination.pages');
  else expect(body).not.toHaveProperty('pagination');
  if (envelope === 'acknowledged') expect(inner).toMatchObject({ ok: true });
  return Array.isArray(inner) ? inner : [inner];
}
