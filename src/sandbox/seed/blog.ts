import type { HeldBackup, HeldGroup, HeldServer, HeldStack, StoredVariant } from '../state.ts';
import { seedBackups } from './backup-rows.ts';
import { seedCommit, seedDeployment, seedStackRow, seedVariables } from './rows.ts';
import { type ServerSeed, seedServers } from './servers.ts';
import { seedStackSettings } from './settings.ts';

const staging = 'a81b6c0d4e2f49738c5d6e7f80912a3b';
const production = 'b92c7d1e5f30584a9d6e7f8091a2b3c4';
const productionServer = '05eb172d9f638ca4e5f60718293a4b5c';
const created_at = '2025-01-20T10:00:00Z';

/** Two stacks of one name and one repository: `blog` alone is ambiguous, `blog/staging` is not. Only staging runs containers. */
export function seedBlogs(): HeldStack[] {
  return [stagingBlog(), productionBlog()];
}

function stagingBlog(): HeldStack {
  return {
    ...blog(staging, 'staging', { firstVariable: 541, firstSetting: 1301 }),
    containers: true,
    // Only the second group serves databases, so that databases of this stack need `-g 32`.
    groups: [group(31, 'Web', 'docker'), databaseGroup()],
    deployments: [
      finished(1035, '2026-04-10T12:00:00Z', '2026-04-10T12:02:40Z'),
      seedDeployment('blog', {
        id: 1036,
        by: 'mara@harbour.example',
        startedAt: '2026-04-11T12:00:00Z',
        finishedAt: '2026-04-11T12:00:52Z',
        outcome: 'failed',
      }),
    ],
    variants: [
      activeVariant(81, 'va-blog', 1035),
      // The document does not give the wire value of blue-green variants; this is the usual spelling.
      { ...activeVariant(82, 'va-green', 1035), variant_type: 'blue_green', percentage: 0 },
    ],
    servers: blogServer(staging, {
      uid: 'f4da061c8e527b93d4e5f60718293a4b',
      name: 'blog-staging-1',
      group: 32,
      host: 41,
      firstSetting: 2201,
    }),
  };
}

function databaseGroup(): HeldGroup {
  const encoding = { charset: 'UTF8', collation: 'en_US.UTF-8' };
  return {
    ...group(32, 'PostgreSQL', 'postgresql'),
    holdsDatabases: true,
    databases: [{ uid: 'db6b1', name: 'blog_staging', size_bytes: 73_400_320, ...encoding, created_at }],
    users: [
      {
        uid: 'du8d1',
        username: 'blog',
        user_type: 'application',
        password: 'sandbox-blog-password',
        created_at,
        databaseUids: ['db6b1'],
      },
    ],
  };
}

function productionBlog(): HeldStack {
  return {
    ...blog(production, 'production', { firstVariable: 551, firstSetting: 1401 }),
    groups: [{ ...group(41, 'PostgreSQL', 'postgresql'), holdsDatabases: true }],
    deployments: [finished(1033, '2026-03-28T07:30:00Z', '2026-03-28T07:33:05Z')],
    variants: [activeVariant(91, 'va-blog-live', 1033)],
    backups: nightlyBackups(),
    servers: blogServer(production, {
      uid: productionServer,
      name: 'blog-1',
      group: 41,
      host: 51,
      firstSetting: 2301,
    }),
  };
}

/** Good ones: this is the stack without a problem. */
function nightlyBackups(): HeldBackup[] {
  const blog = { type: 'postgresql', database: 'blog', server: productionServer };
  return seedBackups(production, [
    [{ ...blog, id: 899, takenAt: '2026-05-03T03:30:00Z', bytes: 131_072 }],
    [{ ...blog, id: 900, takenAt: '2026-05-04T03:30:00Z', bytes: 135_168 }],
  ]);
}

function blogServer(stack: string, seed: Omit<ServerSeed, 'roles'>): HeldServer[] {
  return seedServers(stack, [{ ...seed, roles: ['docker', 'postgresql'] }]);
}

function blog(
  uid: string,
  environment: string,
  { firstVariable, firstSetting }: { readonly firstVariable: number; readonly firstSetting: number },
): HeldStack {
  const row = seedStackRow({ uid, name: 'blog', environment, language: 'javascript', framework: 'next', health: 3 });
  const settings = seedStackSettings(firstSetting, { name: row.name, git: row.git, branch: row.git_branch });
  return {
    row,
    settings,
    containers: false,
    variables: seedVariables(firstVariable, [
      ['NODE_ENV', environment],
      ['SITE_URL', `https://blog.${environment}.harbour.example`],
      ['LOG_LEVEL', environment === 'production' ? 'info' : 'debug'],
    ]),
    deployments: [],
    variants: [],
    groups: [],
    servers: [],
    processes: [],
    backups: [],
    loadbalancers: [],
    tags: [],
    actions: [],
    freeMs: 0,
  };
}

function group(id: number, name: string, type: string): HeldGroup {
  const row = { id, name, type, created_at, updated_at: created_at };
  return { row, holdsDatabases: false, databases: [], users: [] };
}

function finished(id: number, startedAt: string, finishedAt: string): HeldStack['deployments'][number] {
  return seedDeployment('blog', { id, by: 'mara@harbour.example', startedAt, finishedAt, isLive: true });
}

function activeVariant(id: number, uid: string, deployment: number): StoredVariant {
  return { id, uid, variant_type: 'active', git_hash: seedCommit(deployment), created_at, percentage: 100 };
}
