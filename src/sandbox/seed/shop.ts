import type { ActionState, BackupState, StackState, TagRecord, VariableRecord } from '../state.ts';
import { failedResult, seedBackups } from './backup-rows.ts';
import { seedShopProcesses, seedShopServers, databaseServerUid as server_uid, shopWebServerUid } from './machines.ts';
import { maraEmail } from './made-up.ts';
import { outcomes, seedCommit, seedDeployments, seedGroup, seedStack, seedVariables, seedVariants } from './rows.ts';

export const shopUid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const ivenEmail = 'iven@harbour.example';
const created_at = '2024-02-06T08:20:00Z';

/** Returns the production shop. It has one server group, so database commands need no `-g`. */
export function seedShop(): StackState {
  const seed = { uid: shopUid, name: 'shop', environment: 'production', language: 'ruby', framework: 'rails' };
  return seedStack(seed, 1201, {
    variables: seedShopVariables(),
    deployments: seedDeployments('shop', [
      [1037, maraEmail, '2026-03-17T14:02:00Z', '2026-03-17T14:06:12Z'],
      [1038, ivenEmail, '2026-03-24T08:41:00Z', '2026-03-24T08:45:03Z'],
      [1039, ivenEmail, '2026-04-02T16:10:00Z', '2026-04-02T16:11:29Z', { outcome: outcomes.failed }],
      [1040, ivenEmail, '2026-04-02T16:25:00Z', '2026-04-02T16:29:18Z'],
      [1041, maraEmail, '2026-04-14T09:30:00Z', '2026-04-14T09:34:10Z', { is_live: true, is_head: true }],
    ]),
    variants: seedVariants([
      [71, 'va-active', 'active', 100, '2026-04-14T09:34:10Z', seedCommit(1041)],
      [72, 'va-canary', 'canary', 10, '2026-04-15T07:50:00Z', '9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930'],
      [73, 'va-preview', 'preview', 0, '2026-04-15T12:05:00Z', '1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819203'],
    ]),
    groups: [
      seedGroup(
        { id: 21, name: 'PostgreSQL', type: 'postgresql', created_at },
        [
          ['db5a1', 'shop_prod', 4_509_715_660, created_at],
          ['db5a2', 'shop_events', 812_646_400, '2025-06-18T13:00:00Z'],
        ],
        [
          ['du7c2', 'app', 'application', created_at, ['db5a1', 'db5a2']],
          ['du7c3', 'analytics', 'readonly', '2025-06-18T13:05:00Z', ['db5a2']],
        ],
      ),
    ],
    servers: seedShopServers(shopUid),
    processes: seedShopProcesses(),
    backups: seedShopBackups(),
    loadbalancers: [{ id: '3301', name: 'shop-lb' }],
    tags: seedTags(),
    actions: seedActions(),
  });
}

function seedShopVariables(): VariableRecord[] {
  // The stack has more variables than fit on one page, so that their list has two pages.
  const variables = seedVariables(501, [
    ['RAILS_ENV', 'production'],
    ['RACK_ENV', 'production'],
    ['NODE_ENV', 'production'],
    ['LOG_LEVEL', 'info'],
    ['APP_NAME', 'Harbour Books'],
    ['APP_HOST', 'shop.harbour.example'],
    ['ASSET_HOST', 'https://assets.harbour.example'],
    ['CDN_TTL_SECONDS', '86400'],
    ['CURRENCY', 'EUR'],
    ['DEFAULT_LOCALE', 'en'],
    ['SUPPORTED_LOCALES', 'en,de,fr,nl'],
    ['TIME_ZONE', 'Europe/Amsterdam'],
    ['WEB_CONCURRENCY', '4'],
    ['MAX_THREADS', '5'],
    ['WORKER_QUEUES', 'default,mailers,search'],
    ['SESSION_TIMEOUT_MINUTES', '30'],
    ['CART_TTL_HOURS', '72'],
    ['CHECKOUT_V2', 'true'],
    ['FREE_SHIPPING_FROM', '45.00'],
    ['GREETING', 'Hello "reader", mind the = signs'],
    ['MAIL_FROM', 'orders@harbour.example'],
    ['SMTP_HOST', 'smtp.harbour.example'],
    ['SMTP_PORT', '587'],
    ['SMTP_USER', 'orders'],
    ['SMTP_PASSWORD', 'sandbox-smtp-password', 'password'],
    ['PAYMENT_PROVIDER', 'paylane'],
    ['PAYMENT_SECRET', 'sandbox-payment-secret', 'password'],
    ['PAYMENT_WEBHOOK_SECRET', 'sandbox-webhook-secret', 'password'],
    ['SEARCH_URL', 'http://search.internal:9200'],
    ['SEARCH_INDEX', 'books_v7'],
    ['SENTRY_DSN', 'https://public@errors.harbour.example/7'],
    ['FEATURE_RECOMMENDATIONS', 'false'],
    ['ROBOTS', 'User-agent: *\nDisallow: /checkout\n'],
    ['SECRET_KEY_BASE', 'sandbox-secret-key-base', 'password'],
    ['STACK_NAME', 'shop', 'readonly'],
    ['STACK_ENVIRONMENT', 'production', 'readonly'],
    ['POSTGRESQL_ADDRESS', '10.0.4.21', 'readonly'],
    ['REDIS_ADDRESS', '10.0.4.22', 'readonly'],
  ]);
  const logLevelVariable = variables.find(({ key }) => key === 'LOG_LEVEL');
  Object.assign(logLevelVariable ?? {}, {
    updated_at: '2026-03-02T18:45:00Z',
    history: [
      { key: 1, value: 'warn', created_at: '2025-11-03T10:00:00Z', updated_at: '2026-03-02T17:10:00Z' },
      { key: 2, value: 'debug', created_at: '2026-03-02T17:10:00Z', updated_at: '2026-03-02T18:45:00Z' },
    ],
  });
  return variables;
}

function seedTags(): TagRecord[] {
  const created_at_iso = '2024-02-06T08:30:00+0000';
  const timeFields = { created_at_iso, updated_at_iso: '2026-01-12T15:00:00+0000' };
  return [
    {
      entity_type: 'server',
      entity_id: shopWebServerUid,
      tags: [
        { value: 'role:web', reserved: true },
        { value: 'eu', reserved: false },
        { value: 'nightly', reserved: false },
      ],
      ...timeFields,
    },
    { entity_type: 'loadbalancer', entity_id: '3301', tags: [{ value: 'edge', reserved: false }], ...timeFields },
  ];
}

function seedActions(): ActionState[] {
  const endFields = { finished_success: true, started_via: 'api' };
  const created_at = '2025-06-18T13:04:57Z';
  return [
    {
      phase: 'finished',
      queuedMs: 0,
      row: {
        ...endFields,
        id: 810,
        status: 'finished',
        action_type: 'database_user_create',
        resource_type: 'database_user',
        resource_id: 'du7c3',
        started_at: '2025-06-18T13:04:58Z',
        finished_at: '2025-06-18T13:05:00Z',
        finished_message: 'Database user analytics created.',
        created_at,
        updated_at: '2025-06-18T13:05:00Z',
      },
    },
    {
      phase: 'finished',
      queuedMs: 0,
      row: {
        ...endFields,
        id: 811,
        user: 'mara@harbour.example',
        action: 'deploy',
        resource_type: 'stack',
        resource_id: shopUid,
        started_at: '2026-04-14T09:30:00Z',
        finished_at: '2026-04-14T09:34:10Z',
        finished_message: 'Deployed.',
        metadata: { user_reference: 'ci-4710' },
      },
    },
  ];
}

const cacheDb = { db_type: 'redis', database_name: 'shop_cache', server_uid };
const shopDb = { db_type: 'postgresql', database_name: 'shop_prod', server_uid };
const eventsDb = { db_type: 'postgresql', database_name: 'shop_events', server_uid, skip_tables: 'raw_clicks' };

function seedShopBackups(): BackupState[] {
  const verifiedFields = { verify_status: 2, verify_result: 'Verified.' };
  const restoredFields = { restore_status: 2, restore_result: 'Restored to shop-db-1.' };
  // These backups of recent nights are small enough to download. The newest backup of each database is good, but
  // `shop_events` has no backup of the last two nights.
  const noSpaceFields = failedResult('pg_dump: no space left on device');
  return seedBackups(shopUid, [
    { ...shopDb, id: 901, backup_date_iso: '2026-05-02T03:00:00Z', backup_size: 393_216, ...verifiedFields },
    { ...cacheDb, id: 902, backup_date_iso: '2026-05-02T03:10:00Z', backup_size: 40_960 },
    { ...eventsDb, id: 903, backup_date_iso: '2026-05-02T03:20:00Z', backup_size: 2_621_440, parts: 3 },
    { ...shopDb, id: 904, backup_date_iso: '2026-05-03T03:00:00Z', backup_size: 0, ...noSpaceFields },
    { ...cacheDb, id: 905, backup_date_iso: '2026-05-04T02:50:00Z', backup_size: 40_960, ...restoredFields },
    {
      ...shopDb,
      id: 906,
      backup_date_iso: '2026-05-04T03:00:00Z',
      backup_size: 409_600,
      ...verifiedFields,
      ...restoredFields,
    },
  ]);
}
