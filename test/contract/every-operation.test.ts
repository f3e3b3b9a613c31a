import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Field } from '../../src/contract/field.ts';
import { everyOperation } from '../../src/resources/index.ts';
import { run } from '../support/stackops.ts';
import * as sample from './samples.ts';
import { startWitness, type Witnessed, type WitnessOptions } from './service.ts';
import { variations } from './variations.ts';

/**
 * Each of the 60 operations of the service's document, run as an operator types it, against the service written by hand:
 * exit code, the one request, and JSON that is what was sent, to the last unknown field.
 */
interface Line {
  /** As the document has it. */
  readonly operation: string;
  readonly scope: string;
  readonly words: string;
  readonly sends: string;
  readonly body?: unknown;
  /** What `--json` shows; absent: nothing on stdout. */
  readonly shows?: unknown;
  /** What it says on stderr where that goes well. */
  readonly tells?: string;
  readonly stdin?: string;
  readonly service?: WitnessOptions;
  readonly code?: number;
}

const secret = 'device-token-1';
const at = `/stacks/${sample.stack}`;
const server = `${at}/servers/${sample.server}`;
const group = `${at}/server_groups/21`;
const tags = `/tags/server/${sample.server}`;
const inStack = `-s ${sample.stack}`;
const inGroup = `${inStack} -g 21`;
const queued = (action_type: string, resource_type: string) => ({ ...sample.queuedAction, action_type, resource_type });
const serverAction = { ...sample.startedAction, action: 'settings: server.name' };
const tagsChange = {
  entity_type: 'server',
  entity_id: sample.server,
  change: 'accepted',
  before: ['web', 'primary'],
  after: ['web', 'primary'],
  action: null,
  message: null,
  error: null,
};
const { content: _, ...keylessGateway } = sample.gateway;
const { token: __, ...tokenlessDevice } = sample.device;
/** The record of a change that nothing was said about. */
const settled = { action: null, message: null, error: null };

const lines: readonly Line[] = [
  {
    operation: 'GET /users/:id',
    scope: 'users',
    words: 'user get 7',
    sends: 'GET /users/7',
    shows: sample.wholeUser,
  },
  {
    operation: 'GET /users',
    scope: 'admin',
    words: 'user list',
    sends: 'GET /users',
    shows: [sample.user],
  },
  {
    operation: 'PUT /users/:id',
    scope: 'admin',
    words: 'user update 7 --set can_create_stack=true -y',
    sends: 'PUT /users/7',
    body: { access_profile: { account_profile: { can_create_stack: true } } },
    shows: {
      id: 7,
      email: 'ada@harbour.example',
      change: 'updated',
      before: { can_create_stack: false },
      after: { can_create_stack: true },
      ...settled,
    },
  },
  {
    operation: 'POST /users/:id/devices',
    scope: 'users',
    words: 'user device register 7 --type ios --sub-type ipad --token-stdin',
    stdin: 'device-token-1\n',
    sends: 'POST /users/7/devices',
    body: { device_type: 1, sub_type: 2, token: 'device-token-1' },
    shows: {
      user_id: 7,
      change: 'created',
      before: null,
      after: tokenlessDevice,
      ...settled,
    },
  },
  {
    operation: 'PUT /users/:id/devices',
    scope: 'users',
    words: 'user device update 7 --type ios --sub-type iphone --token-stdin',
    stdin: 'device-token-1',
    sends: 'PUT /users/7/devices',
    body: { device_type: 1, sub_type: 1, token: 'device-token-1' },
    shows: {
      user_id: 7,
      change: 'accepted',
      before: { device_type: 1, sub_type: 2 },
      after: { device_type: 1, sub_type: 2 },
      ...settled,
    },
  },
  {
    operation: 'DELETE /users/:id/devices/:token',
    scope: 'users',
    words: 'user device delete 7 --token-stdin',
    stdin: 'device-token-1',
    sends: 'DELETE /users/7/devices/device-token-1',
    shows: {
      user_id: 7,
      change: 'accepted',
      before: tokenlessDevice,
      after: tokenlessDevice,
      ...settled,
    },
  },

  {
    operation: 'GET /accounts',
    scope: 'users',
    words: 'account list',
    sends: 'GET /accounts',
    shows: [sample.account],
  },
  {
    operation: 'GET /accounts/:id',
    scope: 'users',
    words: 'account get 42 --include-servers',
    sends: 'GET /accounts/42?include_servers=true',
    shows: sample.wholeAccount,
  },
  {
    operation: 'POST /accounts/otp',
    scope: 'users',
    words: 'account otp',
    sends: 'POST /accounts/otp',
    shows: sample.oneTimePassword,
  },

  {
    operation: 'GET /accounts/:account_id/gateways',
    scope: 'public',
    words: 'gateway list -a 42',
    sends: 'GET /accounts/42/gateways',
    shows: [sample.gateway],
  },
  {
    operation: 'POST /accounts/:account_id/gateways',
    scope: 'admin',
    words:
      'gateway create -a 42 --name bastion-2 --username ops --address 203.0.113.8 --private-ip 10.0.0.8 --ttl 8h --key-stdin',
    stdin: 'made-up key\n',
    sends: 'POST /accounts/42/gateways',
    body: {
      name: 'bastion-2',
      username: 'ops',
      address: '203.0.113.8',
      private_ip: '10.0.0.8',
      ttl: 28_800,
      content: 'made-up key\n',
    },
    shows: { id: null, name: 'bastion-2', change: 'accepted', before: null, after: null, ...settled },
  },
  {
    operation: 'PUT /accounts/:account_id/gateways/:id',
    scope: 'admin',
    words: 'gateway update 9 -a 42 --address 203.0.113.9',
    sends: 'PUT /accounts/42/gateways/9',
    body: { address: '203.0.113.9' },
    shows: {
      id: 9,
      name: 'bastion-1',
      change: 'accepted',
      before: { address: '203.0.113.7' },
      after: { address: '203.0.113.7' },
      ...settled,
    },
  },
  {
    operation: 'DELETE /accounts/:account_id/gateways/:id',
    scope: 'admin',
    words: 'gateway delete 9 -a 42 --confirm bastion-1',
    sends: 'DELETE /accounts/42/gateways/9',
    shows: { id: 9, name: 'bastion-1', change: 'deleted', before: keylessGateway, after: null, ...settled },
  },

  {
    operation: 'GET /stacks/:id/backups',
    scope: 'public',
    words: `backup list --group 5 --db-type postgresql ${inStack}`,
    sends: `GET ${at}/backups?group=5&db_type=postgresql`,
    shows: [sample.backup],
  },
  {
    operation: 'GET /stacks/:stack_id/backups/:id',
    scope: 'public',
    words: `backup get 501 ${inStack}`,
    sends: `GET ${at}/backups/501`,
    shows: sample.backup,
  },
  {
    operation: 'GET /stacks/:stack_id/backups/:backup_id/files',
    scope: 'public',
    words: `backup files 501 ${inStack}`,
    sends: `GET ${at}/backups/501/files`,
    shows: [sample.backupFile],
  },
  {
    operation: 'GET /stacks/:stack_id/backups/:backup_id/files/:id',
    scope: 'public',
    words: `backup url 501 f-1 ${inStack}`,
    sends: `GET ${at}/backups/501/files/f-1`,
    shows: sample.backupLink,
  },
  {
    operation: 'POST /stacks/:stack_id/backups (Create Backup)',
    scope: 'admin',
    words: `backup create --db-type mysql,redis --keep-count 3 --gzip --excluded-tables logs ${inStack}`,
    sends: `POST ${at}/backups`,
    body: { db_type: 'mysql,redis', keep_count: 3, gzip: true, excluded_tables: 'logs' },
    shows: {
      stack_id: sample.stack,
      change: 'queued',
      before: null,
      after: null,
      ...settled,
      message: 'Backup task queued for creation',
    },
  },
  {
    operation: 'POST /stacks/:stack_id/backups (Import Backup)',
    scope: 'admin',
    words: `backup import --group 5 --db-type mysql,redis --url https://storage.example/dump.sql -y ${inStack}`,
    sends: `POST ${at}/backups`,
    body: { group: 5, db_type: 'mysql,redis', remote_url: 'https://storage.example/dump.sql' },
    shows: {
      stack_id: sample.stack,
      change: 'queued',
      before: null,
      after: null,
      ...settled,
      message: 'Import queued for upload',
    },
  },

  {
    operation: 'GET /stacks/:stack_id/environments',
    scope: 'admin',
    words: `stack env list ${inStack}`,
    sends: `GET ${at}/environments`,
    shows: [sample.variable],
  },
  {
    operation: 'GET /stacks/:stack_id/environments/:env_var_id',
    scope: 'admin',
    words: `api /stacks/{stack}/environments/11 ${inStack}`,
    sends: `GET ${at}/environments/11`,
    shows: { response: sample.variable },
  },
  {
    operation: 'POST /stacks/:stack_id/environments',
    scope: 'admin',
    words: `stack env set MOTTO=Read ${inStack}`,
    sends: `POST ${at}/environments`,
    body: { key: 'MOTTO', value: 'Read' },
    shows: [{ key: 'MOTTO', change: 'created', before: null, after: 'Read', action: null, message: null, error: null }],
  },
  {
    operation: 'PUT /stacks/:stack_id/environments/:env_var_key',
    scope: 'admin',
    words: `stack env set LOG_LEVEL=debug ${inStack}`,
    sends: `PUT ${at}/environments/LOG_LEVEL`,
    body: { value: 'debug' },
    shows: [
      { key: 'LOG_LEVEL', change: 'updated', before: 'info', after: 'debug', action: null, message: null, error: null },
    ],
  },
  {
    operation: 'DELETE /stacks/:stack_id/environments/:env_var_key',
    scope: 'admin',
    words: `stack env unset LOG_LEVEL -y ${inStack}`,
    sends: `DELETE ${at}/environments/LOG_LEVEL`,
    shows: [
      {
        key: 'LOG_LEVEL',
        change: 'deleted',
        before: 'info',
        after: null,
        action: null,
        message: 'Environment variable deleted',
        error: null,
      },
    ],
  },

  {
    operation: 'GET /stacks/:stack_id/settings',
    scope: 'admin',
    words: `stack settings list ${inStack}`,
    sends: `GET ${at}/settings`,
    shows: [sample.listedSetting],
  },
  {
    operation: 'GET /stacks/:stack_id/settings/:id',
    scope: 'public',
    words: `stack settings get git.branch ${inStack}`,
    service: { forbidden: [`GET ${at}/settings`] },
    sends: `GET ${at}/settings/git-branch`,
    shows: sample.singleSetting,
  },
  {
    operation: 'PUT /stacks/:stack_id/settings/:id',
    scope: 'admin',
    words: `stack settings set git.branch=release ${inStack}`,
    sends: `PUT ${at}/settings/31`,
    body: { value: 'release' },
    shows: [
      {
        key: 'git.branch',
        change: 'queued',
        before: 'main',
        after: 'release',
        action: sample.startedAction,
        message: null,
        error: null,
      },
    ],
  },

  {
    operation: 'GET /stacks/:stack_id/servers',
    scope: 'public',
    words: `server list ${inStack}`,
    sends: `GET ${at}/servers`,
    shows: [sample.machine],
  },
  {
    operation: 'GET /stacks/:stack_id/servers/:server_id',
    scope: 'public',
    words: `server get ${sample.server} ${inStack}`,
    sends: `GET ${server}`,
    shows: sample.machine,
  },
  {
    operation: 'POST /stacks/:stack_id/servers/:server_id/reboot',
    scope: 'admin',
    words: `server reboot shop-web-1 -y ${inStack}`,
    sends: `POST ${server}/reboot`,
    shows: {
      uid: sample.server,
      name: 'shop-web-1',
      change: 'queued',
      before: sample.machine,
      after: sample.machine,
      action: null,
      message: 'Server reboot queued',
      error: null,
    },
  },
  {
    operation: 'GET /stacks/:stack_id/servers/:server_id/settings',
    scope: 'public',
    words: `server settings list shop-web-1 ${inStack}`,
    sends: `GET ${server}/settings`,
    shows: [sample.warnedServerSetting],
  },
  {
    operation: 'GET /stacks/:stack_id/servers/:server_id/settings (the other shape)',
    scope: 'public',
    words: `server settings list shop-web-1 ${inStack}`,
    service: { serverSettings: 'dated' },
    sends: `GET ${server}/settings`,
    shows: [sample.datedServerSetting],
  },
  {
    operation: 'GET /stacks/:stack_id/servers/:server_id/settings/:id',
    scope: 'public',
    words: `server settings get ${sample.server} server.name ${inStack}`,
    service: { forbidden: [`GET ${server}/settings`] },
    sends: `GET ${server}/settings/server-name`,
    shows: sample.singleServerSetting,
  },
  {
    operation: 'PUT /stacks/:stack_id/servers/:server_id/settings/:id',
    scope: 'admin',
    words: `server settings set ${sample.server} server.name=web-1 ${inStack}`,
    service: { serverSettings: 'dated' },
    sends: `PUT ${server}/settings/77`,
    body: { value: 'web-1' },
    shows: [
      {
        key: 'server.name',
        change: 'queued',
        before: 'shop-web-1',
        after: 'web-1',
        server_uid: sample.server,
        action: serverAction,
        message: null,
        error: null,
      },
    ],
  },

  {
    operation: 'GET /stacks/:stack_id/deployments',
    scope: 'public',
    words: `deployment list ${inStack}`,
    sends: `GET ${at}/deployments`,
    shows: [sample.deployment],
  },
  {
    operation: 'GET /stacks/:stack_id/deployments/:deployment_id',
    scope: 'public',
    words: `deployment get 1041 ${inStack}`,
    sends: `GET ${at}/deployments/1041`,
    shows: sample.deployment,
  },
  {
    operation: 'POST /stacks/:stack_id/deployments',
    scope: 'redeploy',
    words: `deployment create -y --git-ref main --services web:1,api:2 --deployment-profile fast --user-reference ci ${inStack}`,
    sends: `POST ${at}/deployments`,
    body: { git_ref: 'main', services: 'web:1,api:2', deployment_profile: 'fast', user_reference: 'ci' },
    shows: {
      id: 1042,
      change: 'queued',
      before: { id: 1041, git_hash: 'd8b847daf0a06d549f0919d2c59a146e283b8b78' },
      after: sample.redeployed,
      action: null,
      message: 'Stack shop queued for redeployment',
      error: null,
    },
  },
  {
    operation: 'DELETE /stacks/:stack_id/deployments/:deployment_id',
    scope: 'redeploy',
    words: `deployment cancel 1042 -y ${inStack}`,
    sends: `DELETE ${at}/deployments/1042`,
    shows: [
      {
        id: 1042,
        change: 'queued',
        before: 'pending',
        after: 'pending',
        action: null,
        message: 'Deployment cancelled',
        error: null,
      },
    ],
  },

  {
    operation: 'GET /stacks/:stack_id/application_variants',
    scope: 'redeploy',
    words: `variant list ${inStack}`,
    sends: `GET ${at}/application_variants`,
    shows: [sample.variant, sample.preview],
  },
  {
    operation: 'PUT /stacks/:stack_id/application_variants/:id',
    scope: 'redeploy',
    words: `variant commit va-canary -y ${inStack}`,
    sends: `PUT ${at}/application_variants/va-canary`,
    body: { operation: 'commit' },
    shows: {
      uid: 'va-canary',
      change: 'accepted',
      before: null,
      after: null,
      ...settled,
      message: 'Variant updated',
    },
  },
  {
    operation: 'DELETE /stacks/:stack_id/application_variants/:id',
    scope: 'redeploy',
    words: `variant delete va-preview -y ${inStack}`,
    sends: `DELETE ${at}/application_variants/va-preview`,
    shows: {
      uid: 'va-preview',
      change: 'accepted',
      before: sample.preview,
      after: sample.preview,
      ...settled,
      message: 'Variant deleted',
    },
  },

  {
    operation: 'GET /stacks/:stack_id/processes',
    scope: 'public',
    words: `process list --server ${sample.server} ${inStack}`,
    sends: `GET ${at}/processes?server_uid=${sample.server}`,
    shows: [sample.task],
  },
  {
    operation: 'GET /stacks/:stack_id/processes/:id',
    scope: 'public',
    words: `process get worker ${inStack}`,
    sends: `GET ${at}/processes/worker`,
    shows: sample.task,
  },
  {
    operation: 'POST /stacks/:stack_id/processes/:id/scale',
    scope: 'public',
    words: `process scale worker=3 ${inStack}`,
    sends: `POST ${at}/processes/worker/scale`,
    body: { process_name: 'worker', server_count: { [sample.server]: 3 } },
    shows: [
      {
        name: 'worker',
        change: 'queued',
        before: { 'shop-web-1': 2 },
        after: { 'shop-web-1': 3 },
        action: { ...sample.startedAction, action: 'process_scale' },
        message: null,
        error: null,
      },
    ],
  },

  {
    operation: 'GET /tags/:entity_type/:entity_id',
    scope: 'public',
    words: `tags list server/${sample.server}`,
    sends: `GET ${tags}`,
    shows: sample.tagEntry,
  },
  {
    operation: 'POST /tags/:entity_type/:entity_id',
    scope: 'public',
    words: `tags set server/${sample.server} web eu --include-reserved -y`,
    sends: `POST ${tags}`,
    body: { tags: ['web', 'eu'] },
    shows: [tagsChange],
  },
  {
    operation: 'PATCH /tags/:entity_type/:entity_id',
    scope: 'public',
    words: `tags patch server/${sample.server} --add eu --delete old`,
    sends: `PATCH ${tags}`,
    body: {
      operations: [
        { op: 'delete', tags: ['old'] },
        { op: 'add', tags: ['eu'] },
      ],
    },
    shows: [tagsChange],
  },
  {
    operation: 'DELETE /tags/:entity_type/:entity_id',
    scope: 'public',
    words: `tags clear server/${sample.server} --include-reserved --confirm server/${sample.server}`,
    sends: `DELETE ${tags}`,
    shows: [{ ...tagsChange, change: 'updated', after: [] }],
  },

  {
    operation: 'GET /clusters',
    scope: 'public',
    words: 'cluster list',
    sends: 'GET /clusters',
    shows: [sample.shortCluster],
  },
  {
    operation: 'GET /clusters/:id',
    scope: 'public',
    words: `cluster get ${sample.cluster} --show-log`,
    sends: `GET /clusters/${sample.cluster}?show_log=true`,
    shows: { ...sample.wholeCluster, log: 'started' },
  },
  {
    operation: 'POST /clusters',
    scope: 'redeploy',
    words: 'cluster create --field name=blue',
    sends: 'POST /clusters',
    body: { name: 'blue' },
    code: 7,
  },
  {
    operation: 'POST /clusters/:id/reboot_servers',
    scope: 'admin',
    words: `cluster reboot ${sample.cluster} --strategy serial --group web --confirm prod-eu`,
    sends: `POST /clusters/${sample.cluster}/reboot_servers`,
    body: { strategy: 'serial', group: 'web' },
    shows: {
      uid: sample.cluster,
      name: null,
      change: 'queued',
      before: null,
      after: null,
      action: queued('stack_reboot', 'stack'),
      message: null,
      error: null,
    },
  },

  {
    operation: 'GET /stacks/:stack_id/server_groups/:server_group_id/databases',
    scope: 'public',
    words: `db list ${inGroup}`,
    sends: `GET ${group}/databases`,
    shows: [sample.database],
  },
  {
    operation: 'POST /stacks/:stack_id/server_groups/:server_group_id/databases',
    scope: 'admin',
    words: `db create reports --user du7c3 ${inGroup}`,
    sends: `POST ${group}/databases`,
    body: { database_name: 'reports', database_user_ids: ['du7c3'] },
    shows: {
      uid: null,
      name: 'reports',
      change: 'queued',
      before: null,
      after: null,
      ...settled,
      action: queued('database_create', 'database'),
    },
  },
  {
    operation: 'DELETE /stacks/:stack_id/server_groups/:server_group_id/databases/:id',
    scope: 'admin',
    words: `db delete db5a2 --confirm shop_prod ${inGroup}`,
    sends: `DELETE ${group}/databases/db5a2`,
    shows: {
      uid: 'db5a2',
      name: 'shop_prod',
      change: 'queued',
      before: sample.database,
      after: null,
      ...settled,
      action: queued('database_delete', 'database'),
    },
  },

  {
    operation: 'GET /stacks/:stack_id/server_groups/:server_group_id/database_users',
    scope: 'public',
    words: `db user list --show-password ${inGroup}`,
    sends: `GET ${group}/database_users?show_password=true`,
    shows: [{ ...sample.databaseUser, password: 'made-up' }],
  },
  {
    operation: 'POST /stacks/:stack_id/server_groups/:server_group_id/database_users',
    scope: 'admin',
    words: `db user create reporter --type readonly --database db5a2 ${inGroup}`,
    sends: `POST ${group}/database_users`,
    body: { username: 'reporter', database_ids: ['db5a2'], user_type: 'readonly' },
    shows: {
      uid: null,
      username: 'reporter',
      change: 'queued',
      before: null,
      after: null,
      ...settled,
      action: queued('database_user_create', 'database_user'),
    },
  },
  {
    operation: 'POST /stacks/:stack_id/server_groups/:server_group_id/database_users/:id/regenerate_password',
    scope: 'admin',
    words: `db user regenerate-password du7c3 --confirm analytics ${inGroup}`,
    sends: `POST ${group}/database_users/du7c3/regenerate_password`,
    shows: {
      uid: 'du7c3',
      username: 'analytics',
      change: 'queued',
      before: sample.databaseUser,
      after: sample.databaseUser,
      ...settled,
      action: queued('database_user_password_change', 'database_user'),
    },
  },
  {
    operation: 'DELETE /stacks/:stack_id/server_groups/:server_group_id/database_users/:id',
    scope: 'admin',
    words: `db user delete du7c3 --confirm analytics ${inGroup}`,
    sends: `DELETE ${group}/database_users/du7c3`,
    shows: {
      uid: 'du7c3',
      username: 'analytics',
      change: 'queued',
      before: sample.databaseUser,
      after: null,
      ...settled,
      action: queued('database_user_delete', 'database_user'),
    },
  },

  {
    operation: 'GET /reference/clouds',
    scope: 'none',
    words: 'reference clouds',
    sends: 'GET /reference/clouds',
    shows: sample.clouds,
  },
  {
    operation: 'GET /reference/webserver_modules',
    scope: 'none',
    words: 'reference webserver-modules',
    sends: 'GET /reference/webserver_modules',
    shows: sample.modules,
  },
];

/** The same operations in other words; whatever is read from stdin there is this token. */
const others = variations.map(([operation, words, sends, body]) => ({
  operation,
  words,
  sends,
  body,
  ...(words.includes('-stdin') && { stdin: secret }),
}));
const everyLine: readonly Omit<Line, 'scope'>[] = [...lines, ...others];
const changes = everyLine.filter(({ sends }) => !sends.startsWith('GET '));

/** Offered although the document does not describe them; the last two are only asked by the way. */
const outside = [
  'GET /stacks',
  'GET /stacks/:id',
  'GET /stacks/:stack_id/actions',
  'GET /stacks/:stack_id/actions/:id',
  'GET /ping/auth',
  'GET /stacks/:stack_id/server_groups',
];
/** Both are documented under one path. */
const titles: Readonly<Record<string, string>> = {
  'backups.create': ' (Create Backup)',
  'backups.import': ' (Import Backup)',
};
/** Their replies are anything, and so is what a cluster is made of. */
const opaque = ['POST /clusters', 'GET /reference/clouds', 'GET /reference/webserver_modules'];
/** May be left out as far as the document goes; this tool always sends them. */
const alwaysSent = ['process_name', 'server_count', 'user_type', 'user_reference'];

const operations = new Map(
  everyOperation().map(([id, operation]) => [`${operation.method} ${operation.path}${titles[id] ?? ''}`, operation]),
);

test('the document has 60 operations, one of them in two shapes', () => {
  expect(lines).toHaveLength(61);
  expect(new Set(lines.map(({ operation }) => operation)).size).toBe(61);
});

test('the witness has heard nothing from the program', () => {
  const text = ['service.ts', 'samples.ts']
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))
    .join('');
  expect([...text.matchAll(/from '(.*)'/g)].map(([, from]) => from)).toEqual(['node:http', 'node:net', './samples.ts']);
});

test('the catalogue has the operations of the document with their scopes, and six beside it', () => {
  const described = lines.map(({ operation, scope }) => [documented(operation), scope] as const);
  const declared = [...operations].map(([name, one]) => [name, one.outside ? 'outside' : one.scope] as const);
  expect(new Map(declared)).toEqual(new Map([...described, ...outside.map((name) => [name, 'outside'] as const)]));
});

describe('every operation', () => {
  test.each(lines)('$operation: $words', async (line) => {
    const { words, shows, tells, stdin, service, code = 0 } = line;
    const { ran, seen } = await runAgainst([...words.split(' '), '--json'], stdin, service);
    expect({ code: ran.code, shown: ran.stdout && JSON.parse(ran.stdout), err: code === 0 ? ran.stderr : '' }).toEqual({
      code,
      shown: shows ?? '',
      err: tells ?? '',
    });
    checkRequest(seen, line);
  });

  test.each(others)('$operation: $words', async (line) => {
    const { ran, seen } = await runAgainst(line.words.split(' '), line.stdin);
    expect(ran).toMatchObject({ code: 0 });
    checkRequest(seen, line);
  });

  test.each(lines)('$operation: $words, as people read it', async ({ words, stdin, service, code = 0 }) => {
    const { ran } = await runAgainst(words.split(' '), stdin, service);
    expect(ran.code).toBe(code);
    expect(ran.stdout === '').toBe(code !== 0);
  });

  test.each(changes)('$words --dry-run sends nothing', async ({ words, sends, stdin, service }) => {
    const { ran, seen } = await runAgainst([...words.split(' '), '--dry-run'], stdin, service);
    expect(ran.code).toBe(0);
    const [method, path = ''] = sends.split(' ');
    const start = `${method} http://HOST/api/3${path.replace(secret, '***')}\n`;
    expect(ran.stdout.replace(/127\.0\.0\.1:\d+/, 'HOST').slice(0, start.length)).toBe(start);
    expect(ran.stdout).not.toContain(secret);
    expect(seen.filter((request) => request.method !== 'GET')).toEqual([]);
  });

  test.each(lines)('$operation takes the parameters of its lines, and no more', ({ operation }) => {
    const same = everyLine.filter((one) => documented(one.operation) === documented(operation)).map(parametersOf);
    const declared = Object.entries<Field>(operations.get(documented(operation))?.params ?? {});
    expect(declared.map(([name]) => name).toSorted()).toEqual([...new Set(same.flat())].toSorted());
    const optional = declared.filter(([, field]) => field.presence === 'optional').map(([name]) => name);
    const leftOut = (name: string) => alwaysSent.includes(name) || same.some((names) => !names.includes(name));
    expect(optional.filter((name) => !leftOut(name))).toEqual([]);
  });
});

/** What the program sent, and that it knows every field of what it was answered with. */
function checkRequest(seen: readonly Witnessed[], { operation, sends, body, code = 0 }: Omit<Line, 'scope'>): void {
  const sent = seen.filter(({ method, target }) => `${method} ${target}` === sends);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.body).toEqual(body);
  expect(sent[0]?.contentType).toBe(body === undefined ? undefined : 'application/json');
  expect(sent[0]?.authorization).toBe(sends.includes('/reference/') ? undefined : 'Bearer secret-token');
  const writes = seen.filter(({ method }) => method !== 'GET');
  expect(writes).toHaveLength(sends.startsWith('GET ') ? 0 : 1);
  const { reply } = operations.get(documented(operation)) ?? {};
  const known = [...Object.keys(reply?.record?.fields ?? {}), 'added'];
  if (code === 0 && !opaque.includes(operation))
    expect(known).toEqual(expect.arrayContaining(fieldsOf(sent[0]?.answer)));
}

/** The names in the object, or in the first one of the list, that was answered; none in a mere acknowledgement. */
function fieldsOf(answer: unknown): string[] {
  const { response = answer } = (answer ?? {}) as { readonly response?: unknown };
  const [row = {}] = [response].flat();
  const names = Object.keys(row as object);
  return names.every((name) => ['ok', 'message', 'added'].includes(name)) ? [] : names;
}

/** The parameters that one line sends in path, query and body, without what `--field` adds. */
function parametersOf({ operation, words, sends, body }: Omit<Line, 'scope'>): readonly string[] {
  const inPath = [...operation.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const inQuery = [...new URL(sends.split(' ')[1] ?? '', 'http://witness').searchParams.keys()];
  const inBody = Object.keys(body ?? {}).filter((name) => !words.includes(`--field ${name}=`));
  return [...inPath, ...inQuery, ...inBody];
}

/** Without what tells two of one kind apart. */
function documented(operation: string): string {
  return operation.replace(' (the other shape)', '');
}

test('a service that does not make clusters yet says so in its own message', async () => {
  const { ran } = await runAgainst(['cluster', 'create', '--field', 'name=blue']);
  expect(ran).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: the service does not support this operation (501): Cluster creation comes later\n',
  });
});

async function runAgainst(words: readonly string[], stdin?: string, service?: WitnessOptions) {
  const witness = await startWitness(service);
  onTestFinished(() => witness.close());
  const env = { STACKOPS_BASE_URL: witness.url, STACKOPS_TOKEN: 'secret-token' };
  const ran = await run(words, { env, ...(stdin !== undefined && { stdin }) });
  return { ran, seen: witness.seen };
}
