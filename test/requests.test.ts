import { describe, expect, test } from 'vitest';
import { reply, type Seen, startService } from './support/service.ts';
import { ownReference, run } from './support/stackops.ts';

/**
 * Words in, request out: typed by hand from the service's own document, never generated from the catalogue.
 * The service behind it is written by hand too and answers in the document's own shapes.
 */
const stack = '5f3c0000000000000000000000000001';
const server = 'ab120000000000000000000000000002';

const list = (items: unknown[]) => ({
  response: items,
  count: items.length,
  pagination: { previous: null, next: null, current: 1, per_page: 30, count: items.length, pages: 1 },
});
const one = (value: unknown) => ({ response: value });
const done = one({ ok: true, message: 'done' });

const variable = {
  id: 1,
  key: 'A',
  value: 'old',
  readonly: false,
  is_password: false,
  is_generated: false,
  history: [],
};
const deployment = { id: 7, outcome: { code: 1, meaning: 'success' }, git_hash: 'abc', triggered_by: 'ada' };
const variant = { id: 3, uid: 'va-1', variant_type: 'canary', git_hash: 'abc', percentage: 10 };
const database = { uid: 'db1', name: 'shop', size_bytes: 10, users: ['app'] };
const databaseUser = { uid: 'du1', username: 'app', user_type: 'application', databases: ['shop'] };
const account = { id: 42, owner: 'ada', current_account: true };
const action = { id: 10, status: 'queued', action_type: 'database_create', started_at: null, finished_at: null };
const queued = {
  id: 812,
  user: 'ada',
  resource_type: 'stack',
  action: 'stack-set: git.branch',
  resource_id: '283',
  started_via: 'api',
  started_at: '2026-05-04T12:00:00Z',
  finished_at: null,
  finished_success: null,
  finished_message: null,
};
const stackSetting = { id: 5, key: 'git.branch', value: 'main', readonly: false };
const serverSetting = { key: 'server.name', value: 'web-1', readonly: false, warning_text: '' };
const serverRow = { uid: server, name: 'web-1', server_roles: ['web'], health_state: 3 };
const worker = { md5: 'd41d8c', name: 'worker', command: 'rake work', servers: { 'web-1': 2 } };
const entry = { entity_type: 'server', entity_id: server, tags: [{ value: 'web', reserved: false }] };
const clouds = { aws: { sizes: { small: '1 CPU' }, regions: { eu: 'Europe' } } };

const cluster = 'cd340000000000000000000000000003';
const backup = { id: 901, db_type: 'postgresql', database_name: 'shop', backup_size: 10, backup_status: 0 };
const clusterRow = { uid: cluster, name: 'prod-eu', environment: 'production', status: 1, health: 3, node_count: 1 };
const gateway = { id: 5, name: 'bastion', address: '203.0.113.7', username: 'ops', private_ip: '10.0.0.7', ttl: null };
const user = {
  id: 7,
  email: 'ada@example.com',
  access_profile: {
    account_profile: { can_create_stack: false, can_payment: true },
    stack_profiles: [{ stack_uid: stack, role: 'Viewer' }],
  },
};
const promoted = {
  ...user,
  access_profile: {
    account_profile: { can_create_stack: true, can_payment: true },
    stack_profiles: [{ stack_uid: stack, role: 'Deployer' }],
  },
};
const device = { device_type: 1, sub_type: 2, token: 'typed-secret', enabled: true };

const at = `/stacks/${stack}`;
const group = `${at}/server_groups/21`;
const answers: Readonly<Record<string, unknown>> = {
  'GET /stacks': list([{ uid: stack, name: 'shop', environment: 'production' }]),
  [`GET ${at}`]: one({ uid: stack, name: 'shop', environment: 'production' }),
  [`GET ${at}/server_groups`]: list([{ id: 21, name: 'mysql' }]),
  [`GET ${at}/environments`]: list([variable]),
  [`POST ${at}/environments`]: one({ ...variable, key: 'B' }),
  [`PUT ${at}/environments/A`]: one(variable),
  [`DELETE ${at}/environments/A`]: done,
  [`GET ${at}/settings`]: list([stackSetting, { key: 'maintenance.mode', value: false, readonly: false }]),
  [`PUT ${at}/settings/5`]: one(queued),
  [`PUT ${at}/settings/maintenance-mode`]: one(queued),
  [`GET ${at}/servers`]: list([serverRow]),
  [`GET ${at}/servers/${server}`]: one(serverRow),
  [`POST ${at}/servers/${server}/reboot`]: done,
  [`GET ${at}/servers/${server}/settings`]: list([serverSetting]),
  [`PUT ${at}/servers/${server}/settings/server-name`]: one(queued),
  [`GET ${at}/processes`]: list([worker]),
  [`GET ${at}/processes/worker`]: list([worker]),
  [`POST ${at}/processes/worker/scale`]: list([queued]),
  [`GET ${at}/deployments`]: list([deployment]),
  [`GET ${at}/deployments/7`]: one(deployment),
  [`POST ${at}/deployments`]: one({ id: 8, message: 'queued', queued: true }),
  [`DELETE ${at}/deployments/7`]: done,
  [`GET ${at}/application_variants`]: {
    response: [variant, { ...variant, id: 4, uid: 'va-2', variant_type: 'preview' }],
  },
  [`PUT ${at}/application_variants/va-1`]: done,
  [`DELETE ${at}/application_variants/va-2`]: done,
  [`GET ${group}/databases`]: list([database, { ...database, uid: 'db2', name: 'stock' }]),
  [`POST ${group}/databases`]: one(action),
  [`DELETE ${group}/databases/db1`]: one({ ...action, action_type: 'database_delete' }),
  [`GET ${group}/database_users`]: list([databaseUser, { ...databaseUser, uid: 'du2', username: 'jobs' }]),
  [`POST ${group}/database_users`]: one({ ...action, action_type: 'database_user_create' }),
  [`POST ${group}/database_users/du1/regenerate_password`]: one({
    ...action,
    action_type: 'database_user_password_change',
  }),
  [`DELETE ${group}/database_users/du1`]: one({ ...action, action_type: 'database_user_delete' }),
  [`GET /tags/server/${server}`]: list([entry]),
  [`POST /tags/server/${server}`]: list([entry]),
  [`PATCH /tags/server/${server}`]: list([entry]),
  [`DELETE /tags/server/${server}`]: list([{ ...entry, tags: [] }]),
  'GET /accounts': list([account]),
  'GET /accounts/42': one(account),
  'POST /accounts/otp': one({ ok: true, otp: 'one-time' }),
  'GET /accounts/42/gateways': list([gateway]),
  'POST /accounts/42/gateways': one({ ok: true }),
  'PUT /accounts/42/gateways/5': one({ ok: true }),
  'DELETE /accounts/42/gateways/5': one({ ok: true }),
  [`GET ${at}/backups`]: list([backup]),
  [`POST ${at}/backups`]: done,
  [`GET ${at}/backups/901`]: one(backup),
  [`GET ${at}/backups/901/files`]: list([{ id: 'tar', name: 'shop.tar' }]),
  [`GET ${at}/backups/901/files/tar`]: one({ ok: true, public_url: 'https://files.example/shop.tar?signature=x' }),
  'GET /clusters': list([clusterRow]),
  [`GET /clusters/${cluster}`]: one(clusterRow),
  [`POST /clusters/${cluster}/reboot_servers`]: one({ ...action, action_type: 'stack_reboot' }),
  'GET /users': list([user]),
  'GET /users/7': one(user),
  'PUT /users/7': promoted,
  'POST /users/7/devices': one(device),
  'PUT /users/7/devices': {},
  'DELETE /users/7/devices/typed-secret': {},
  'GET /reference/clouds': one(clouds),
  'GET /reference/webserver_modules': one({ gzip: { name: 'gzip', description: 'Compression', version: '1.0' } }),
  [`GET ${at}/actions`]: list([action]),
  [`GET ${at}/actions/10`]: one(action),
};

/** words, method, path, query, body; reads that only find or ask come before it and are not told here. */
type Line = readonly [words: string, method: string, path: string, query?: string, body?: unknown];
const inStack = `-s ${stack}`;
const inGroup = `${inStack} -g 21`;

const lines: readonly Line[] = [
  ['stack list', 'GET', '/stacks'],
  [`stack get ${stack}`, 'GET', at],
  [`stack env list ${inStack}`, 'GET', `${at}/environments`],
  [`stack env get A ${inStack}`, 'GET', `${at}/environments`],
  [`stack env set B=2 ${inStack}`, 'POST', `${at}/environments`, '', { key: 'B', value: '2' }],
  [`stack env set A=x=y ${inStack}`, 'PUT', `${at}/environments/A`, '', { value: 'x=y' }],
  [`stack env unset A -y ${inStack}`, 'DELETE', `${at}/environments/A`],
  [`stack settings list ${inStack}`, 'GET', `${at}/settings`],
  [`stack settings get git.branch ${inStack}`, 'GET', `${at}/settings`],
  [`stack settings set git.branch=release ${inStack}`, 'PUT', `${at}/settings/5`, '', { value: 'release' }],
  [
    `stack settings set maintenance.mode=true -y ${inStack}`,
    'PUT',
    `${at}/settings/maintenance-mode`,
    '',
    { value: 'true' },
  ],
  [`server list ${inStack}`, 'GET', `${at}/servers`],
  [`server get web-1 ${inStack}`, 'GET', `${at}/servers/${server}`],
  [`server get ${server} ${inStack}`, 'GET', `${at}/servers/${server}`],
  [`server reboot web-1 -y ${inStack}`, 'POST', `${at}/servers/${server}/reboot`],
  [`server settings list web-1 ${inStack}`, 'GET', `${at}/servers/${server}/settings`],
  [`server settings get ${server} server.name ${inStack}`, 'GET', `${at}/servers/${server}/settings`],
  [
    `server settings set web-1 server.name=web-9 ${inStack}`,
    'PUT',
    `${at}/servers/${server}/settings/server-name`,
    '',
    { value: 'web-9' },
  ],
  [`process list ${inStack}`, 'GET', `${at}/processes`],
  [`process list --server web-1 ${inStack}`, 'GET', `${at}/processes`, `server_uid=${server}`],
  [`process get worker ${inStack}`, 'GET', `${at}/processes/worker`],
  [
    `process scale worker=5 ${inStack}`,
    'POST',
    `${at}/processes/worker/scale`,
    '',
    { process_name: 'worker', server_count: { [server]: 5 } },
  ],
  [
    `process scale worker=-1 --server ${server} ${inStack}`,
    'POST',
    `${at}/processes/worker/scale`,
    '',
    { process_name: 'worker', server_count: { [server]: 1 } },
  ],
  [
    `process scale worker=+1 --field process_name=w,x --field count=3 --field force=true ${inStack}`,
    'POST',
    `${at}/processes/worker/scale`,
    '',
    { process_name: 'w,x', server_count: { [server]: 3 }, count: 3, force: true },
  ],
  [`deployment list ${inStack}`, 'GET', `${at}/deployments`],
  [`deployment get 7 ${inStack}`, 'GET', `${at}/deployments/7`],
  [`deployment create -y ${inStack}`, 'POST', `${at}/deployments`, '', { user_reference: ownReference }],
  [
    `redeploy -y ${inStack} --git-ref main --services web:1,api:2 --deployment-profile fast --user-reference ci-1`,
    'POST',
    `${at}/deployments`,
    '',
    { git_ref: 'main', services: 'web:1,api:2', deployment_profile: 'fast', user_reference: 'ci-1' },
  ],
  [`deployment cancel 7 -y ${inStack}`, 'DELETE', `${at}/deployments/7`],
  [`variant list ${inStack}`, 'GET', `${at}/application_variants`],
  [`variant commit va-1 -y ${inStack}`, 'PUT', `${at}/application_variants/va-1`, '', { operation: 'commit' }],
  [
    `variant weight va-1 25 ${inStack}`,
    'PUT',
    `${at}/application_variants/va-1`,
    '',
    { operation: 'percentage', canary_percentage: 25 },
  ],
  [
    `variant weight va-1 0% ${inStack} -y`,
    'PUT',
    `${at}/application_variants/va-1`,
    '',
    { operation: 'percentage', canary_percentage: 0 },
  ],
  [`variant delete va-2 -y ${inStack}`, 'DELETE', `${at}/application_variants/va-2`],
  [`db list ${inGroup}`, 'GET', `${group}/databases`],
  [`db list ${inStack}`, 'GET', `${group}/databases`],
  [`db create reports ${inGroup}`, 'POST', `${group}/databases`, '', { database_name: 'reports' }],
  [
    `db create reports --user du1 --user du2 ${inGroup}`,
    'POST',
    `${group}/databases`,
    '',
    { database_name: 'reports', database_user_ids: ['du1', 'du2'] },
  ],
  [`db delete db1 --confirm shop ${inGroup}`, 'DELETE', `${group}/databases/db1`],
  [`db user list ${inGroup}`, 'GET', `${group}/database_users`],
  [`db user list --show-password ${inGroup}`, 'GET', `${group}/database_users`, 'show_password=true'],
  [
    `db user create report ${inGroup}`,
    'POST',
    `${group}/database_users`,
    '',
    { username: 'report', user_type: 'application' },
  ],
  [
    `db user create report --type readonly --database db1,db2 ${inGroup}`,
    'POST',
    `${group}/database_users`,
    '',
    { username: 'report', user_type: 'readonly', database_ids: ['db1', 'db2'] },
  ],
  [
    `db user regenerate-password du1 --confirm app ${inGroup}`,
    'POST',
    `${group}/database_users/du1/regenerate_password`,
  ],
  [`db user delete du1 --confirm app ${inGroup}`, 'DELETE', `${group}/database_users/du1`],
  [`tags list server/${server}`, 'GET', `/tags/server/${server}`],
  [`tags set server/${server} a b`, 'POST', `/tags/server/${server}`, '', { tags: ['a', 'b'] }],
  [
    `tags patch server/${server} --add a,b --delete c`,
    'PATCH',
    `/tags/server/${server}`,
    '',
    {
      operations: [
        { op: 'delete', tags: ['c'] },
        { op: 'add', tags: ['a', 'b'] },
      ],
    },
  ],
  [`tags clear server/${server} --confirm server/${server}`, 'DELETE', `/tags/server/${server}`],
  ['account list', 'GET', '/accounts'],
  ['account get 42 --include-servers', 'GET', '/accounts/42', 'include_servers=true'],
  ['account get', 'GET', '/accounts/42'],
  ['account get -a 42', 'GET', '/accounts/42'],
  ['account otp', 'POST', '/accounts/otp'],
  ['gateway list', 'GET', '/accounts/42/gateways'],
  ['gateway list -a 42', 'GET', '/accounts/42/gateways'],
  ['gateway create --name bastion', 'POST', '/accounts/42/gateways', '', { name: 'bastion' }],
  [
    'gateway create --name b -a 42 --username ops --address 203.0.113.7 --private-ip 10.0.0.7 --key-stdin --ttl 8h',
    'POST',
    '/accounts/42/gateways',
    '',
    {
      name: 'b',
      username: 'ops',
      address: '203.0.113.7',
      private_ip: '10.0.0.7',
      content: 'typed-secret',
      ttl: 28_800,
    },
  ],
  [
    'gateway update bastion -a 42 --address 203.0.113.8 --username ops --ttl 90m',
    'PUT',
    '/accounts/42/gateways/5',
    '',
    { address: '203.0.113.8', ttl: 5400 },
  ],
  [
    'gateway update 5 --name b --key-stdin',
    'PUT',
    '/accounts/42/gateways/5',
    '',
    { name: 'b', content: 'typed-secret' },
  ],
  ['gateway delete 5 -a 42 --confirm bastion', 'DELETE', '/accounts/42/gateways/5'],
  [`backup list ${inStack}`, 'GET', `${at}/backups`],
  [`backup list --db-type mysql --group 12 ${inStack}`, 'GET', `${at}/backups`, 'group=12&db_type=mysql'],
  [`backup get 901 ${inStack}`, 'GET', `${at}/backups/901`],
  [`backup files 901 ${inStack}`, 'GET', `${at}/backups/901/files`],
  [`backup url 901 tar ${inStack}`, 'GET', `${at}/backups/901/files/tar`],
  [`backup download 901 --dry-run ${inStack}`, 'GET', `${at}/backups/901/files`],
  [`backup create ${inStack}`, 'POST', `${at}/backups`],
  [
    `backup create --db-type mysql,redis --frequency @daily --keep-count 7 --gzip --excluded-tables logs,tmp --run-on-replica-server ${inStack}`,
    'POST',
    `${at}/backups`,
    '',
    {
      db_type: 'mysql,redis',
      frequency: '@daily',
      keep_count: 7,
      gzip: true,
      excluded_tables: 'logs,tmp',
      run_on_replica_server: true,
    },
  ],
  [
    `backup import --group 12 --db-type mysql,redis --url https://files.example/shop.tar -y ${inStack}`,
    'POST',
    `${at}/backups`,
    '',
    { group: 12, db_type: 'mysql,redis', remote_url: 'https://files.example/shop.tar' },
  ],
  ['cluster list', 'GET', '/clusters'],
  [`cluster get ${cluster}`, 'GET', `/clusters/${cluster}`],
  ['cluster get prod-eu --show-log', 'GET', `/clusters/${cluster}`, 'show_log=true'],
  ['cluster reboot prod-eu --confirm prod-eu', 'POST', `/clusters/${cluster}/reboot_servers`],
  [
    `cluster reboot ${cluster} --strategy serial --group web --confirm prod-eu`,
    'POST',
    `/clusters/${cluster}/reboot_servers`,
    '',
    { strategy: 'serial', group: 'web' },
  ],
  ['user list', 'GET', '/users'],
  ['user get 7', 'GET', '/users/7'],
  ['user get ada@example.com', 'GET', '/users/7'],
  [
    'user update 7 --set can_create_stack=true,can_payment=true --role shop=Deployer -y',
    'PUT',
    '/users/7',
    '',
    {
      access_profile: {
        account_profile: { can_create_stack: true },
        stack_profiles: [{ stack_uid: stack, role: 'Deployer' }],
      },
    },
  ],
  [
    'user update ada@example.com --set can_create_stack=true -y',
    'PUT',
    '/users/7',
    '',
    { access_profile: { account_profile: { can_create_stack: true } } },
  ],
  [
    'user device register 7 --type ios --sub-type ipad --token-stdin',
    'POST',
    '/users/7/devices',
    '',
    { device_type: 1, sub_type: 2, token: 'typed-secret' },
  ],
  [
    'user device update 7 --type android --sub-type ipod --token-stdin',
    'PUT',
    '/users/7/devices',
    '',
    { device_type: 2, sub_type: 3, token: 'typed-secret' },
  ],
  ['user device delete ada@example.com --token-stdin', 'DELETE', '/users/7/devices/typed-secret'],
  ['reference clouds', 'GET', '/reference/clouds'],
  ['reference clouds --cloud aws --filter regions', 'GET', '/reference/clouds', 'cloud=aws&filter=regions'],
  ['reference webserver-modules', 'GET', '/reference/webserver_modules'],
  [`action list ${inStack} --user-reference ci-1`, 'GET', `${at}/actions`, 'user_reference=ci-1'],
  [`action get 10 ${inStack}`, 'GET', `${at}/actions/10`],
];

const changes = lines.filter(([, verb]) => verb !== 'GET');

describe('words to requests', () => {
  for (const [words, method, path, query = '', body] of lines) {
    test(words, async () => {
      const { ran, seen } = await runAgainst(words.split(' '));
      expect(ran).toMatchObject({ code: 0 });
      const { authorization, ...request } = seen.findLast((sent) => sent.method === method) as Seen;
      expect(request).toEqual({ method, path, query, body });
      expect(authorization).toBe(words.startsWith('reference') ? undefined : 'Bearer secret-token');
    });
  }

  for (const [words, method] of changes) {
    test(`${words} is sent exactly once`, async () => {
      const { seen } = await runAgainst(words.split(' '));
      expect(seen.filter((request) => request.method !== 'GET').map((request) => request.method)).toEqual([method]);
    });
  }

  for (const [words, method, path] of changes) {
    test(`${words} --dry-run sends nothing`, async () => {
      const { ran, seen } = await runAgainst([...words.split(' '), '--dry-run']);
      expect(ran.code).toBe(0);
      const shown = path.replace('typed-secret', '\\*\\*\\*');
      expect(ran.stdout).toMatch(new RegExp(`^${method} http://127\\.0\\.0\\.1:\\d+/api/3${shown}\\n`));
      expect(ran.stdout).not.toContain('typed-secret');
      expect(seen.filter((request) => request.method !== 'GET')).toEqual([]);
    });
  }
});

test('cluster create is sent exactly once, and the 501 is passed on', async () => {
  const service = await startService((_, response) => {
    reply(response, { response: { message: 'Announced for a later release.', status: 'not_implemented' } }, 501);
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'secret-token' };
  expect(await run(['cluster', 'create', '--field', 'name=prod-us', '--field', 'nodes=3'], { env })).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: the service does not do this (501): Announced for a later release.\n',
  });
  await service.close();
  expect(service.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['POST', '/clusters', { name: 'prod-us', nodes: 3 }],
  ]);
});

async function runAgainst(words: readonly string[]) {
  const service = await startService((request, response) => {
    const known = answers[`${request.method} ${request.path}`];
    reply(response, known ?? { error: 'not_found' }, known ? 200 : 404);
  });
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'secret-token' };
  const ran = await run(words, { env, stdin: 'typed-secret' });
  await service.close();
  return { ran, seen: service.seen };
}
