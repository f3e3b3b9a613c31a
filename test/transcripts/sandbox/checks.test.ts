import { expect, test } from 'vitest';
import { at, freshSandbox, refusal, rows, shop, stagingBlog, webServer } from './fresh-sandbox.ts';

const group = `/stacks/${shop}/server_groups/21`;
const variant = `/stacks/${shop}/application_variants`;

test.each<readonly [line: string, body: unknown, status: number, details: string]>([
  [`POST /stacks/${shop}/environments`, { key: 'A' }, 400, 'parameter "value" is missing'],
  [`POST /stacks/${shop}/environments`, { key: 'A', value: 1 }, 400, 'parameter "value" must be a string'],
  [`POST /stacks/${shop}/environments`, { key: 'A', value: '', x: 1 }, 400, 'unknown parameter "x"'],
  [
    `POST /stacks/${shop}/environments`,
    { key: 'A=B', value: '' },
    400,
    '"A=B" is not a valid environment variable name',
  ],
  [
    `POST /stacks/${shop}/environments`,
    { key: 'CURRENCY', value: '' },
    400,
    'environment variable "CURRENCY" already exists',
  ],
  [
    `POST /stacks/${shop}/environments`,
    { stack_id: shop, key: 'A', value: '' },
    400,
    'parameter "stack_id" is allowed in the path only',
  ],
  [`POST /stacks/${shop}/environments`, '[]', 400, 'the body must be a JSON object'],
  [`POST /stacks/${shop}/environments`, '{', 400, 'the body is not JSON'],
  [
    `PUT /stacks/${shop}/environments/STACK_NAME`,
    { value: 'x' },
    400,
    'environment variable "STACK_NAME" is read-only',
  ],
  [`DELETE /stacks/${shop}/environments/STACK_NAME`, undefined, 400, 'environment variable "STACK_NAME" is read-only'],
  [`PUT /stacks/${shop}/environments/A`, { value: 'x' }, 404, 'environment variable "A" not found'],
  [`GET /stacks/${shop}/environments/one`, undefined, 400, 'parameter "env_var_id" must be an integer'],
  ['GET /stacks/shop', undefined, 404, 'stack "shop" not found'],
  [`GET /stacks/${shop}/environments?page=0`, undefined, 400, 'parameter "page" must be an integer, at least 1'],
  [`GET ${variant}?page=1`, undefined, 400, 'unknown parameter "page"'],
  [
    `PUT ${variant}/va-canary`,
    { operation: 'stop' },
    400,
    'parameter "operation" must be one of commit, percentage; got "stop"',
  ],
  [`PUT ${variant}/va-canary`, { operation: 'percentage' }, 400, 'canary_percentage is missing'],
  [
    `PUT ${variant}/va-canary`,
    { operation: 'percentage', canary_percentage: 101 },
    400,
    'parameter "canary_percentage" must be from 0 to 100; got 101',
  ],
  [
    `PUT ${variant}/va-canary`,
    { operation: 'commit', canary_percentage: 5 },
    400,
    'canary_percentage is not allowed with the operation commit',
  ],
  [`PUT ${variant}/va-preview`, { operation: 'commit' }, 400, 'variant "va-preview" is preview, not a rollout variant'],
  [`PUT ${variant}/va-active`, { operation: 'commit' }, 400, 'variant "va-active" is active, not a rollout variant'],
  [
    `PUT /stacks/${stagingBlog}/application_variants/va-green`,
    { operation: 'percentage', canary_percentage: 5 },
    400,
    'variant "va-green" is not a canary: its share of traffic cannot be set',
  ],
  [`DELETE ${variant}/va-canary`, undefined, 400, 'variant "va-canary" is canary, not a preview'],
  [`DELETE ${variant}/va-none`, undefined, 404, 'variant "va-none" not found'],
  [`DELETE ${variant}/va%20none`, undefined, 400, '"va none" is not a valid variant UID'],
  [`POST /stacks/${shop}/deployments`, { services: 'web:1' }, 400, 'services is for container stacks'],
  [`POST /stacks/${stagingBlog}/deployments`, { git_ref: 'main' }, 400, 'git_ref is for stacks without containers'],
  [
    `POST /stacks/${stagingBlog}/deployments`,
    { services: 'web' },
    400,
    'services: "web" is not a service:image_tag pair',
  ],
  [
    `POST /stacks/${shop}/deployments`,
    { user_reference: 'x'.repeat(256) },
    400,
    'parameter "user_reference" must have at most 255 characters',
  ],
  [`DELETE /stacks/${shop}/deployments/1041`, undefined, 400, 'deployment 1041 has finished and cannot be cancelled'],
  [`GET /stacks/${shop}/deployments/7`, undefined, 404, 'deployment 7 not found'],
  [
    `GET /stacks/${stagingBlog}/server_groups/31/databases`,
    undefined,
    400,
    'server group "31" (Web) does not support database operations',
  ],
  [`GET /stacks/${shop}/server_groups/99/databases`, undefined, 404, 'server group "99" not found'],
  [
    `POST ${group}/databases`,
    { database_name: '1x' },
    400,
    'invalid database name: "1x" must be 1 to 63 letters, digits or underscores, no digit first',
  ],
  [`POST ${group}/databases`, { database_name: 'shop_prod' }, 400, 'invalid database name: "shop_prod" already exists'],
  [
    `POST ${group}/databases`,
    { database_name: 'x', database_user_ids: 'du7c2' },
    400,
    'parameter "database_user_ids" must be an array',
  ],
  [`POST ${group}/databases`, { database_name: 'x', database_user_ids: ['du0'] }, 404, 'database user "du0" not found'],
  [`DELETE ${group}/databases/db0`, undefined, 404, 'database "db0" not found'],
  [
    `POST ${group}/database_users`,
    { username: 'a b' },
    400,
    'invalid username: "a b" must be 1 to 32 letters, digits or underscores, no digit first',
  ],
  [
    `POST ${group}/database_users`,
    { username: 'x', user_type: 'boss' },
    400,
    'invalid user type: "boss" must be one of application, readonly',
  ],
  [`POST ${group}/database_users`, { username: 'x', database_ids: ['db0'] }, 404, 'database "db0" not found'],
  [`DELETE ${group}/database_users/du0`, undefined, 404, 'database user "du0" not found'],
  ['GET /tags/cat/1', undefined, 400, 'parameter "entity_type" must be one of server, loadbalancer; got "cat"'],
  ['GET /tags/server/1', undefined, 404, 'server "1" not found'],
  [`POST /tags/server/${webServer}`, { tags: [' '] }, 400, 'a tag cannot be empty'],
  [
    `PATCH /tags/server/${webServer}`,
    { operations: [{ op: 'set', tags: [] }] },
    400,
    'parameter "operations[0].op" must be one of add, delete; got "set"',
  ],
  [
    'GET /reference/clouds?cloud=ibm',
    undefined,
    400,
    'parameter "cloud" must be one of aws, azure_rm, digitalocean, googlecloud, hetzner, linode, ovh, vultr; got "ibm"',
  ],
  [
    'GET /reference/clouds?filter=x',
    undefined,
    400,
    'parameter "filter" must be one of clouds, clouds_full, regions, regions_full, sizes, sizes_full; got "x"',
  ],
])('refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});

test('takes parameters from the query too, arrays with brackets', async () => {
  const { ask } = await freshSandbox();
  expect((await ask(`PUT ${variant}/va-canary?operation=percentage&canary_percentage=40`)).status).toBe(200);
  expect(rows(await ask(`GET ${variant}`))[1]).toMatchObject({ uid: 'va-canary', percentage: 40 });
  const create = await ask(
    `POST ${group}/databases?database_name=x&database_user_ids[]=du7c2&database_user_ids[]=du7c3`,
  );
  expect(at(create.body, 'response.status')).toBe('queued');
});
