import { expect, test } from 'vitest';
import type { Reply } from '../../src/contract/reply.ts';
import { everyOperation } from '../../src/resources/index.ts';
import { checkFields } from '../../src/sandbox/check.ts';
import { at, rig, shop, webServer } from './rig.ts';

/** One request for every operation, in an order in which all of them succeed. */
const requests: Readonly<Record<string, readonly [line: string, body?: unknown]>> = {
  'accounts.list': ['GET /accounts'],
  'accounts.get': ['GET /accounts/42?include_servers=true'],
  'accounts.otp': ['POST /accounts/otp'],
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
    expect([id, answer.status]).toEqual([id, 200]);
    const reply = operations.get(id)?.reply;
    if (reply) expect(valuesIn(reply, answer.body, id)).toEqual(rawValues(reply, answer.body));
  }
});

/** The reply read through its record: unknown, missing and ill-typed fields throw, and conversions would differ. */
function valuesIn(reply: Reply, body: unknown, id: string): readonly unknown[] {
  const fields = reply.record?.fields;
  return rawValues(reply, body).map((row) =>
    fields ? checkFields(fields, row as Readonly<Record<string, unknown>>, `${id}: `) : row,
  );
}

function rawValues({ envelope }: Reply, body: unknown): readonly unknown[] {
  const inner = at(body, 'response');
  if (envelope === 'page' || envelope === 'sole') expect(body).toHaveProperty('pagination.pages');
  else expect(body).not.toHaveProperty('pagination');
  if (envelope === 'acknowledged') expect(inner).toEqual({ ok: true, message: expect.any(String) });
  return Array.isArray(inner) ? inner : [inner];
}
