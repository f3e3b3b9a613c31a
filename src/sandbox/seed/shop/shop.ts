import type { HeldAction, HeldBackup, HeldGroup, HeldStack, StoredTag } from '../../state.ts';
import { seedBackups } from '../backup-rows.ts';
import { seedCommit, seedDeployment, seedStackRow } from '../rows.ts';
import { seedStackSettings } from '../settings.ts';
import { shopDatabaseServer as server, shopProcesses, shopServers, shopWebServer } from './machines.ts';
import { shopVariables } from './variables.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

/** The production shop: no containers, one server group, so that databases need no `-g`. */
export function seedShop(): HeldStack {
  return {
    row: seedStackRow({
      uid,
      name: 'shop',
      environment: 'production',
      language: 'ruby',
      framework: 'rails',
      health: 3,
    }),
    containers: false,
    variables: shopVariables(),
    deployments: seedDeployments(),
    variants: seedVariants(),
    groups: [seedGroup()],
    servers: shopServers(uid),
    settings: seedStackSettings(1201, { name: 'shop', git: 'git@git.example:harbour/shop.git', branch: 'main' }),
    processes: shopProcesses(),
    backups: shopBackups(uid),
    loadbalancers: [{ id: '3301', name: 'shop-lb' }],
    tags: seedTags(),
    actions: seedActions(),
    freeMs: 0,
  };
}

function seedDeployments(): HeldStack['deployments'] {
  return [
    { id: 1037, by: 'mara@harbour.example', startedAt: '2026-03-17T14:02:00Z', finishedAt: '2026-03-17T14:06:12Z' },
    { id: 1038, by: 'iven@harbour.example', startedAt: '2026-03-24T08:41:00Z', finishedAt: '2026-03-24T08:45:03Z' },
    {
      id: 1039,
      by: 'iven@harbour.example',
      startedAt: '2026-04-02T16:10:00Z',
      finishedAt: '2026-04-02T16:11:29Z',
      outcome: 'failed' as const,
    },
    { id: 1040, by: 'iven@harbour.example', startedAt: '2026-04-02T16:25:00Z', finishedAt: '2026-04-02T16:29:18Z' },
    {
      id: 1041,
      by: 'mara@harbour.example',
      startedAt: '2026-04-14T09:30:00Z',
      finishedAt: '2026-04-14T09:34:10Z',
      isLive: true,
    },
  ].map((seed) => seedDeployment('shop', seed));
}

function seedVariants(): HeldStack['variants'] {
  return [
    {
      id: 71,
      uid: 'va-active',
      variant_type: 'active',
      git_hash: seedCommit(1041),
      created_at: '2026-04-14T09:34:10Z',
      percentage: 100,
    },
    {
      id: 72,
      uid: 'va-canary',
      variant_type: 'canary',
      git_hash: '9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930',
      created_at: '2026-04-15T07:50:00Z',
      percentage: 10,
    },
    {
      id: 73,
      uid: 'va-preview',
      variant_type: 'preview',
      git_hash: '1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819203',
      created_at: '2026-04-15T12:05:00Z',
      percentage: 0,
    },
  ];
}

function seedGroup(): HeldGroup {
  const created_at = '2024-02-06T08:20:00Z';
  const encoding = { charset: 'UTF8', collation: 'en_US.UTF-8' };
  return {
    row: { id: 21, name: 'PostgreSQL', type: 'postgresql', created_at, updated_at: created_at },
    holdsDatabases: true,
    databases: [
      { uid: 'db5a1', name: 'shop_prod', size_bytes: 4_509_715_660, ...encoding, created_at },
      { uid: 'db5a2', name: 'shop_events', size_bytes: 812_646_400, ...encoding, created_at: '2025-06-18T13:00:00Z' },
    ],
    users: [
      {
        uid: 'du7c2',
        username: 'app',
        user_type: 'application',
        password: 'sandbox-app-password',
        created_at,
        databaseUids: ['db5a1', 'db5a2'],
      },
      {
        uid: 'du7c3',
        username: 'analytics',
        user_type: 'readonly',
        password: 'sandbox-analytics-password',
        created_at: '2025-06-18T13:05:00Z',
        databaseUids: ['db5a2'],
      },
    ],
  };
}

function seedTags(): StoredTag[] {
  const created_at_iso = '2024-02-06T08:30:00+0000';
  const times = { created_at_iso, updated_at_iso: '2026-01-12T15:00:00+0000' };
  return [
    {
      entity_type: 'server',
      entity_id: shopWebServer,
      tags: [
        { value: 'role:web', reserved: true },
        { value: 'eu', reserved: false },
        { value: 'nightly', reserved: false },
      ],
      ...times,
    },
    { entity_type: 'loadbalancer', entity_id: '3301', tags: [{ value: 'edge', reserved: false }], ...times },
  ];
}

function seedActions(): HeldAction[] {
  const ended = { finished_success: true, started_via: 'api' };
  const created_at = '2025-06-18T13:04:57Z';
  return [
    {
      phase: 'finished',
      queuedMs: 0,
      row: {
        ...ended,
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
        ...ended,
        id: 811,
        user: 'mara@harbour.example',
        action: 'deploy',
        resource_type: 'stack',
        resource_id: uid,
        started_at: '2026-04-14T09:30:00Z',
        finished_at: '2026-04-14T09:34:10Z',
        finished_message: 'Deployed.',
        metadata: { user_reference: 'ci-4710' },
      },
    },
  ];
}

const redis = { type: 'redis', database: 'shop_cache', server };
const main = { type: 'postgresql', database: 'shop_prod', server };
const events = { type: 'postgresql', database: 'shop_events', server };

/**
 * The last nights of two schedules: group 12 PostgreSQL, group 13 Redis. Small enough to be downloaded. The newest are
 * good, but for `shop_events`, which has none of the last two nights.
 */
function shopBackups(stack: string): HeldBackup[] {
  const verified = { verify_status: 2, verify_result: 'Verified.' };
  const restored = { restore_status: 2, restore_result: 'Restored to shop-db-1.' };
  return seedBackups(stack, [
    [{ ...main, id: 901, takenAt: '2026-05-02T03:00:00Z', bytes: 393_216 }, verified],
    [{ ...redis, id: 902, takenAt: '2026-05-02T03:10:00Z', bytes: 40_960 }],
    [{ ...events, id: 903, takenAt: '2026-05-02T03:20:00Z', bytes: 2_621_440 }, { skip_tables: 'raw_clicks' }, 3],
    [{ ...main, id: 904, takenAt: '2026-05-03T03:00:00Z', bytes: 0, fault: 'pg_dump: no space left on device' }, {}, 0],
    [{ ...redis, id: 905, takenAt: '2026-05-04T02:50:00Z', bytes: 40_960 }, restored],
    [
      { ...main, id: 906, takenAt: '2026-05-04T03:00:00Z', bytes: 409_600 },
      { ...verified, ...restored },
    ],
  ]);
}
