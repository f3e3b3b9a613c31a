import { ownReference } from '../support/stackops.ts';
import * as sample from './samples.ts';

/**
 * The operations once more, as the document allows them too: with nothing that may be left out, with everything there is,
 * by name and by default, and the four beside the document. Typed by hand, never generated.
 */
export type Variation = readonly [operation: string, words: string, sends: string, body?: unknown];

const at = `/stacks/${sample.stack}`;
const server = `${at}/servers/${sample.server}`;
const group = `${at}/server_groups/21`;
const inStack = `-s ${sample.stack}`;
const inGroup = `${inStack} -g 21`;
const backups = 'POST /stacks/:stack_id/backups (Create Backup)';
const scale = 'POST /stacks/:stack_id/processes/:id/scale';
const variant = 'PUT /stacks/:stack_id/application_variants/:id';
const groups = '/stacks/:stack_id/server_groups/:server_group_id';

export const variations: readonly Variation[] = [
  ['GET /users/:id', 'user get ada@harbour.example', 'GET /users/7'],
  [
    'PUT /users/:id',
    'user update ada@harbour.example --set can_payment=true,can_view_audit=true --role shop=Viewer -y',
    'PUT /users/7',
    {
      access_profile: {
        account_profile: { can_payment: true },
        stack_profiles: [{ stack_uid: sample.stack, role: 'Viewer' }],
      },
    },
  ],
  [
    'POST /users/:id/devices',
    'user device register 7 --type android --sub-type ipod --token-stdin',
    'POST /users/7/devices',
    { device_type: 2, sub_type: 3, token: 'device-token-1' },
  ],
  [
    'DELETE /users/:id/devices/:token',
    'user device delete ada@harbour.example --token-stdin',
    'DELETE /users/7/devices/device-token-1',
  ],

  ['GET /accounts/:id', 'account get', 'GET /accounts/42'],
  ['GET /accounts/:id', 'account get -a 42', 'GET /accounts/42'],

  ['GET /accounts/:account_id/gateways', 'gateway list', 'GET /accounts/42/gateways'],
  [
    'POST /accounts/:account_id/gateways',
    'gateway create --name bastion-2',
    'POST /accounts/42/gateways',
    { name: 'bastion-2' },
  ],
  [
    'PUT /accounts/:account_id/gateways/:id',
    'gateway update bastion-1 --name b --username root --private-ip 10.0.0.8 --ttl 90m --key-stdin',
    'PUT /accounts/42/gateways/9',
    { name: 'b', username: 'root', private_ip: '10.0.0.8', ttl: 5400, content: 'device-token-1' },
  ],
  [
    'PUT /accounts/:account_id/gateways/:id',
    'gateway update 9 --username ops --address 203.0.113.8 --ttl 0',
    'PUT /accounts/42/gateways/9',
    { address: '203.0.113.8', ttl: 0 },
  ],

  ['GET /stacks/:id/backups', `backup list ${inStack}`, `GET ${at}/backups`],
  [
    'GET /stacks/:stack_id/backups/:backup_id/files',
    `backup download 501 --dry-run ${inStack}`,
    `GET ${at}/backups/501/files`,
  ],
  [backups, `backup create ${inStack}`, `POST ${at}/backups`],
  [
    backups,
    `backup create --db-type mysql,redis --frequency @daily --keep-count 7 --gzip --excluded-tables logs,tmp --run-on-replica-server ${inStack}`,
    `POST ${at}/backups`,
    {
      db_type: 'mysql,redis',
      frequency: '@daily',
      keep_count: 7,
      gzip: true,
      excluded_tables: 'logs,tmp',
      run_on_replica_server: true,
    },
  ],

  ['GET /stacks/:stack_id/environments', `stack env get LOG_LEVEL ${inStack}`, `GET ${at}/environments`],
  [
    'PUT /stacks/:stack_id/environments/:env_var_key',
    `stack env set LOG_LEVEL=x=y ${inStack}`,
    `PUT ${at}/environments/LOG_LEVEL`,
    { value: 'x=y' },
  ],
  [
    'PUT /stacks/:stack_id/environments/:env_var_key',
    `stack env set LOG_LEVEL=x --apply-strategy deployment ${inStack}`,
    `PUT ${at}/environments/LOG_LEVEL`,
    { value: 'x', apply_strategy: 'deployment' },
  ],
  [
    'POST /stacks/:stack_id/environments',
    `stack env set MOTTO=x --apply-strategy immediately ${inStack}`,
    `POST ${at}/environments`,
    { key: 'MOTTO', value: 'x', apply_strategy: 'immediately' },
  ],

  ['GET /stacks/:stack_id/settings', `stack settings get git.branch ${inStack}`, `GET ${at}/settings`],

  ['GET /stacks/:stack_id/servers/:server_id', `server get shop-web-1 ${inStack}`, `GET ${server}`],
  [
    'PUT /stacks/:stack_id/servers/:server_id/settings/:id',
    `server settings set shop-web-1 server.name=web-9 ${inStack}`,
    `PUT ${server}/settings/server-name`,
    { value: 'web-9' },
  ],

  [
    'POST /stacks/:stack_id/deployments',
    `redeploy -y ${inStack}`,
    `POST ${at}/deployments`,
    { user_reference: ownReference },
  ],
  [
    'POST /stacks/:stack_id/deployments',
    `redeploy -y --rollout-strategy canary --canary-percentage 20 --deploy-strategy rolling ${inStack}`,
    `POST ${at}/deployments`,
    { user_reference: ownReference, rollout_strategy: 'canary', canary_percentage: 20, deploy_strategy: 'rolling' },
  ],

  [
    variant,
    `variant weight va-canary 25 ${inStack}`,
    `PUT ${at}/application_variants/va-canary`,
    { operation: 'percentage', canary_percentage: 25 },
  ],
  [
    variant,
    `variant weight va-canary 0% ${inStack} -y`,
    `PUT ${at}/application_variants/va-canary`,
    { operation: 'percentage', canary_percentage: 0 },
  ],

  ['GET /stacks/:stack_id/processes', `process list ${inStack}`, `GET ${at}/processes`],
  [
    'GET /stacks/:stack_id/processes',
    `process list --server shop-web-1 ${inStack}`,
    `GET ${at}/processes?server_uid=${sample.server}`,
  ],
  [
    scale,
    `process scale worker=-1 --server ${sample.server} -y ${inStack}`,
    `POST ${at}/processes/worker/scale`,
    { process_name: 'worker', server_count: { [sample.server]: 1 } },
  ],
  [
    scale,
    `process scale worker=+1 --field process_name=w,x --field count=3 --field force=true ${inStack}`,
    `POST ${at}/processes/worker/scale`,
    { process_name: 'w,x', server_count: { [sample.server]: 3 }, count: 3, force: true },
  ],

  [
    'PATCH /tags/:entity_type/:entity_id',
    `tags patch server/${sample.server} --add a,b`,
    `PATCH /tags/server/${sample.server}`,
    { operations: [{ op: 'add', tags: ['a', 'b'] }] },
  ],
  [
    'PATCH /tags/:entity_type/:entity_id',
    `tags add server/${sample.server} a b`,
    `PATCH /tags/server/${sample.server}`,
    { operations: [{ op: 'add', tags: ['a', 'b'] }] },
  ],
  [
    'PATCH /tags/:entity_type/:entity_id',
    `tags remove server/${sample.server} web`,
    `PATCH /tags/server/${sample.server}`,
    { operations: [{ op: 'delete', tags: ['web'] }] },
  ],

  ['GET /clusters/:id', `cluster get ${sample.cluster}`, `GET /clusters/${sample.cluster}`],
  ['GET /clusters/:id', 'cluster get prod-eu --show-log', `GET /clusters/${sample.cluster}?show_log=true`],
  [
    'POST /clusters/:id/reboot_servers',
    'cluster reboot prod-eu --confirm prod-eu',
    `POST /clusters/${sample.cluster}/reboot_servers`,
  ],

  [`GET ${groups}/databases`, `db list ${inStack}`, `GET ${group}/databases`],
  [`POST ${groups}/databases`, `db create reports ${inGroup}`, `POST ${group}/databases`, { database_name: 'reports' }],
  [
    `POST ${groups}/databases`,
    `db create reports --user analytics ${inGroup}`,
    `POST ${group}/databases`,
    { database_name: 'reports', database_user_ids: ['du7c3'] },
  ],
  [`GET ${groups}/database_users`, `db user list ${inGroup}`, `GET ${group}/database_users`],
  [
    `POST ${groups}/database_users`,
    `db user create reporter ${inGroup}`,
    `POST ${group}/database_users`,
    { username: 'reporter', user_type: 'application' },
  ],

  [
    'GET /reference/clouds',
    'reference clouds --cloud hetzner --filter regions',
    'GET /reference/clouds?cloud=hetzner&filter=regions',
  ],

  ['GET /stacks', 'stack list', 'GET /stacks'],
  ['GET /stacks/:id', `stack get ${sample.stack}`, `GET ${at}`],
  [
    'GET /stacks/:stack_id/actions',
    `action list ${inStack} --user-reference ci`,
    `GET ${at}/actions?user_reference=ci`,
  ],
  ['GET /stacks/:stack_id/actions/:id', `action get 812 ${inStack}`, `GET ${at}/actions/812`],
];
