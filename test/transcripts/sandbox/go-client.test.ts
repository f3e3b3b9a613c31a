import { request } from 'node:http';
import { expect, test } from 'vitest';
import { at, freshSandbox, shop, stagingBlog, webServer } from './fresh-sandbox.ts';

/**
 * What the public Go client of the service sends, and the types into which it reads each answer. It reads strictly: an
 * answer without a body, without `response` or with a value of another type is an error to it. Only null fits any type.
 */
type GoType = Simple | readonly [GoType] | { readonly [name: string]: GoType };
type Simple = 'string' | 'int' | 'bool' | 'time' | 'any';

/** `struct({ string: 'uid name', int: 'status' })`, and fields of other types. */
function struct(names: Partial<Record<Simple, string>>, more: Readonly<Record<string, GoType>> = {}): GoType {
  const plain = Object.entries(names).flatMap(([type, list]) => list.split(' ').map((name) => [name, type as Simple]));
  return { ...Object.fromEntries(plain), ...more };
}

const stack = struct(
  {
    string:
      'uid name git git_branch environment cloud fqdn language framework redeploy_hook deploy_directory backend version revision account_name cluster_name application_address configstore_namespace',
    int: 'status health account_id',
    bool: 'maintenance_mode has_loadbalancer is_cluster is_inside_cluster',
    time: 'last_activity_iso updated_at_iso created_at_iso',
  },
  { namespaces: ['string'] },
);
const action = struct({
  string: 'user resource_type resource_id action started_via finished_message',
  int: 'id',
  bool: 'finished_success',
  time: 'started_at finished_at',
});
const setting = struct({ string: 'key', any: 'value', bool: 'readonly hidden' });
const past = { any: 'value', time: 'created_at_iso updated_at_iso' };
const variable = struct({ ...past, string: 'key', bool: 'readonly' }, { history: [struct(past)] });
const redeploy = struct({ string: 'message', int: 'async_action_id', bool: 'ok queued' });
const backup = struct({
  string:
    'server_uid file_name db_type database_name file_base backup_result restore_result verify_result storage_path skip_tables',
  int: 'id backup_status restore_status verify_status',
  bool: 'logical_backup',
  time: 'backup_date_iso created_at_iso updated_at_iso',
});
const file = struct({ string: 'id name' });
const server = struct(
  {
    string:
      'uid vendor_uid name address distro distro_version dns_record server_type stack_uid region availability_zone ext_ipv4 user_name ssh_private_key deploy_gateway_address deploy_gateway_user_name',
    int: 'server_group_id health_state',
    bool: 'has_agent personal_key has_deploy_gateway is_kubernetes_master',
    time: 'created_at updated_at',
    any: 'params notifications',
  },
  { server_roles: ['string'] },
);
const process = struct({ string: 'name md5 command', any: 'servers servers_pauses' });
const account = struct(
  {
    string: 'owner friendly_name server_registration_script configstore_namespace',
    int: 'id stack_count',
    bool: 'current_account',
    time: 'created_at updated_at',
  },
  { used_clouds: ['string'], unmanaged_servers: [struct({ string: 'vendor id' })] },
);
const gateway = struct({
  string: 'name username address private_ip ttl content created_by updated_by',
  int: 'id',
  time: 'created_at_iso updated_at_iso',
});
const tags = struct(
  { string: 'entity_type entity_id', time: 'created_at_iso updated_at_iso' },
  { tags: [struct({ string: 'value', bool: 'reserved' })] },
);
const variant = struct({
  string: 'uid type sub_type git_repo git_ref git_hash tag',
  int: 'percentage',
  time: 'updated_at_iso created_at_iso',
});
const user = struct(
  {
    string: 'email timezone cloud_status',
    int: 'id primary_account_id',
    bool: 'locked uses_tfa has_valid_phone developer_program github_login',
    time: 'last_login created_at updated_at',
    any: 'devices',
  },
  { access_profile: struct({ any: 'account_profile' }, { stack_profiles: [struct({ string: 'stack_uid role' })] }) },
);
/** It looks into the wrapper only. */
const nothing = 'any';

const page = '?page=1';
const inShop = `/stacks/${shop}`;
const onServer = `${inShop}/servers/${webServer}`;
const newBackup = { db_type: 'all', gzip: true, excluded_tables: '', run_on_replica_server: false };
const plainDeploy = { deploy_strategy: '', rollout_strategy: '', canary_percentage: 0, deployment_profile: '' };
const profile = {
  account_profile: { can_create_stack: true, can_payment: false, default_roles: [] },
  stack_profiles: [{ stack_uid: shop, role: 'Viewer' }],
  ...{ acls_profile: [], override: false },
};

/** What it reads; of a call outside the document of the service, what it is for. */
type Call = readonly [line: string, body: unknown, reads: GoType | Outside];
interface Outside {
  readonly outside: string;
}

const calls: readonly Call[] = [
  [`GET /stacks.json${page}`, undefined, [stack]],
  [`GET /stacks.json${page}&filter_name=shop`, undefined, [stack]],
  [`GET /stacks.json${page}&filter_environment=staging&filter_git_branch=main`, undefined, [stack]],
  [`GET ${inShop}.json`, undefined, stack],
  ['POST /stacks', { name: 'new', environment: 'production', service_yaml: '', cloud: '' }, outside('creates a stack')],
  [`GET ${inShop}/settings.json${page}`, undefined, [setting]],
  [`PUT ${inShop}/settings/git-branch.json`, { value: 'main' }, action],
  [`GET ${inShop}/actions/812.json`, undefined, action],
  [`GET ${inShop}/environments.json${page}`, undefined, [variable]],
  [`GET ${inShop}/environments.json?page=2`, undefined, [variable]],
  [`POST ${inShop}/environments.json`, { key: 'MOTTO', value: 'new', apply_strategy: '' }, action],
  [`GET ${inShop}/actions/813.json`, undefined, action],
  [`PUT ${inShop}/environments/CURRENCY.json`, { value: 'CHF', apply_strategy: 'deployment' }, action],
  [`GET ${inShop}/actions/814.json`, undefined, action],
  [
    `GET ${inShop}/environments.json${page}&environments_format=dotenv`,
    undefined,
    outside('reads variables as a file'),
  ],
  [`POST ${inShop}/environments/bulk.json`, { contents: 'A=1' }, outside('replaces all variables by a file')],
  [`PATCH ${inShop}/environments/bulk.json`, { contents: 'A=1' }, outside('merges a file into the variables')],
  [`GET ${inShop}/backups.json${page}`, undefined, [backup]],
  [`POST ${inShop}/backups.json`, { ...newBackup, frequency: '', keep_count: 0, logical_backup: false }, action],
  [`POST ${inShop}/backups.json`, { ...newBackup, frequency: '0 3 * * *', keep_count: 7 }, action],
  [`GET ${inShop}/backups/903/files.json${page}`, undefined, [file]],
  [`GET ${inShop}/backups/903/files//tar-ab.json`, undefined, struct({ bool: 'ok', string: 'public_url' })],
  [`GET ${inShop}/backups/901/files.json${page}`, undefined, [file]],
  [`POST ${inShop}/firewalls.json`, { ttl: 20, from_ip: 'AUTO', port: 22, server_id: '' }, outside('opens a firewall')],
  [`POST ${inShop}/deployments.json`, { git_ref: '', services: [], ...plainDeploy }, redeploy],
  [`GET ${inShop}/actions/817.json`, undefined, action],
  [
    `POST ${inShop}/deployments.json`,
    { ...plainDeploy, git_ref: 'main', deploy_strategy: 'parallel', services: [] },
    redeploy,
  ],
  [`POST /stacks/${stagingBlog}/deployments.json`, { git_ref: '', services: ['web:1.4.2'], ...plainDeploy }, redeploy],
  [
    `POST /stacks/${stagingBlog}/deployments.json`,
    { git_ref: '', services: ['web', 'cron'], ...plainDeploy },
    redeploy,
  ],
  [
    `POST ${inShop}/reboot_servers.json`,
    { strategy: 'serial', group: 'web' },
    outside('reboots the servers of a stack'),
  ],
  [`POST ${inShop}/actions.json`, { command: 'restart' }, outside('runs an action of a stack')],
  [
    `POST ${inShop}/actions.json`,
    { command: 'promote_slave_db', server_uid: webServer },
    outside('promotes a replica'),
  ],
  [`GET ${inShop}/servers.json${page}`, undefined, [server]],
  [`GET ${onServer}.json`, { include_private_key: 0 }, server],
  [`GET ${onServer}/settings.json${page}`, undefined, [setting]],
  [`PUT ${onServer}/settings/server-name.json`, { value: 'shop-web-1' }, action],
  [`POST ${onServer}/reboot_server.json`, {}, outside('reboots a server by another path')],
  [`GET ${inShop}/processes.json${page}`, undefined, [process]],
  [`GET ${inShop}/processes.json${page}&server_uid=${webServer}`, undefined, [process]],
  [`GET ${inShop}/processes/worker.json${page}`, undefined, process],
  [`GET ${inShop}/processes/web.json${page}&server_uid=${webServer}`, undefined, process],
  [`POST ${inShop}/processes.json`, { process_name: 'web', server_count: {} }, outside('scales by another path')],
  [`POST ${inShop}/actions.json`, { command: 'process_pause', process_name: 'web' }, outside('pauses a process')],
  [`GET /accounts.json${page}`, undefined, [account]],
  ['GET /accounts/42.json', { include_servers: false }, account],
  ['GET /accounts/42.json', { include_servers: true }, account],
  ['GET /accounts/otp.json', undefined, outside('asks for a one-time password with another method')],
  ['GET /accounts/42/gateways.json', undefined, [gateway]],
  ['POST /accounts/42/gateways.json', { name: 'b-3', address: '203.0.113.9', username: '', private_ip: '' }, nothing],
  ['PUT /accounts/42/gateways/6.json', { content: 'a key', ttl: 3600 }, nothing],
  ['PUT /accounts/42/gateways/6.json', { content: '', ttl: 0 }, nothing],
  ['DELETE /accounts/42/gateways/6.json', undefined, nothing],
  [`PATCH /tags/server/${webServer}`, operations(['blue'], []), tags],
  [`PATCH /tags/server/${webServer}`, operations([], ['blue']), tags],
  ['PATCH /tags/loadbalancer/3301', operations(['eu'], ['us']), tags],
  [`GET ${inShop}/application_variants.json`, undefined, [variant]],
  [
    `PATCH ${inShop}/application_variants/va-canary.json`,
    { operation: 'commit' },
    outside('commits by another method'),
  ],
  [`DELETE ${inShop}/application_variants/va-preview.json`, undefined, action],
  [`GET /users.json${page}`, undefined, [user]],
  ['GET /users/8.json', undefined, user],
  ['PUT /users/8.json', { id: 8, email: 'mara@harbour.example', access_profile: profile, devices: null }, user],
];

function outside(what: string): Outside {
  return { outside: what };
}

function operations(add: readonly string[], remove: readonly string[]) {
  return {
    operations: [
      { op: 'add', tags: add },
      { op: 'delete', tags: remove },
    ],
  };
}

test('the Go client understands the answers to its calls, but for those outside the document', async () => {
  const sandbox = await freshSandbox({ strict: false, replies: 'actions' });
  let understood = 0;
  for (const [line, body, reads] of calls) {
    const answer = await send(sandbox, line, body);
    const isOutside = typeof reads === 'object' && 'outside' in reads;
    if (isOutside) expect([line, isUnderstood(answer, body)]).toEqual([line, false]);
    else expect([line, ...faultsOf(answer, reads as GoType)]).toEqual([line]);
    understood += isOutside ? 0 : 1;
    sandbox.pass(5);
  }
  expect([understood, calls.length]).toEqual([48, 61]);
});

test('filters of the list of stacks count, and pages come to their end', async () => {
  const sandbox = await freshSandbox({ strict: false, replies: 'actions' });
  const names = async (query: string) => {
    const { body } = await send(sandbox, `GET /stacks.json?page=1&${query}`, undefined);
    return (at(body, 'response') as readonly { name: string; environment: string }[]).map(
      ({ name, environment }) => `${name}/${environment}`,
    );
  };
  expect(await names('filter_name=blog')).toEqual(['blog/staging', 'blog/production']);
  expect(await names('filter_name=blog&filter_environment=staging')).toEqual(['blog/staging']);
  expect(await names('filter_name=&filter_git_branch=none')).toEqual([]);
  const { body } = await send(sandbox, `GET ${inShop}/environments.json?page=2`, undefined);
  expect(at(body, 'pagination')).toMatchObject({ current: 2, next: null });
});

interface GoAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** It sends a body with GET, too, which fetch refuses. */
function send({ url, token }: { url: URL; token: string }, line: string, body: unknown): Promise<GoAnswer> {
  const [method = '', path = ''] = line.split(' ');
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'request-id': '6f0d6f2e-6b0c-4b43-9b0e-0d1f1e6b1a11',
    'user-agent': 'cx/2.0 (linux; amd64)',
    'x-account': '42',
    ...(text && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url.href}${path}`, { method, headers }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const answered = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, body: answered === '' ? undefined : JSON.parse(answered) });
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

function faultsOf({ status, body }: GoAnswer, reads: GoType): readonly string[] {
  if (status !== 200) return [`${status}: ${at(body, 'details')}`];
  if (at(body, 'response') === undefined) return ['no response'];
  return mismatches(reads, at(body, 'response'), 'response');
}

/** A file of variables would be one text; the sandbox does not know the question and sends the list. */
function isUnderstood({ status, body }: GoAnswer, sent: unknown): boolean {
  return status === 200 && (sent !== undefined || at(body, 'response.contents') !== undefined);
}

function mismatches(type: GoType, value: unknown, where: string): readonly string[] {
  if (value === null || value === undefined || type === 'any') return [];
  if (typeof type === 'string') return fits[type](value) ? [] : [`${where} is no ${type}: ${JSON.stringify(value)}`];
  if (Array.isArray(type)) {
    if (!Array.isArray(value)) return [`${where} is no list`];
    return value.flatMap((each, index) => mismatches(type[0], each, `${where}.${index}`));
  }
  if (typeof value !== 'object' || Array.isArray(value)) return [`${where} is no object`];
  return Object.entries(type).flatMap(([name, inner]) => mismatches(inner, at(value, name), `${where}.${name}`));
}

const fits = {
  string: (value: unknown) => typeof value === 'string',
  int: (value: unknown) => Number.isSafeInteger(value),
  bool: (value: unknown) => typeof value === 'boolean',
  time: (value: unknown) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$/.test(value),
} as const;
