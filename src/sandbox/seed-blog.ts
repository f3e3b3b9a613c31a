import { seedCommit, seedDeployment, seedStackRow, seedVariables } from './seed-rows.ts';
import type { HeldGroup, HeldStack, VariantRow } from './state.ts';

const created_at = '2025-01-20T10:00:00Z';

/** Two container stacks of one name: `blog` alone is ambiguous, `blog/staging` is not. */
export function seedBlogs(): HeldStack[] {
  return [stagingBlog(), productionBlog()];
}

function stagingBlog(): HeldStack {
  return {
    ...blog('a81b6c0d4e2f49738c5d6e7f80912a3b', 'staging', 541),
    // Only the second group serves databases, so that databases of this stack need `-g 32`.
    groups: [
      group(31, 'Web', 'docker'),
      {
        ...group(32, 'PostgreSQL', 'postgresql'),
        holdsDatabases: true,
        databases: [
          {
            uid: 'db6b1',
            name: 'blog_staging',
            size_bytes: 73_400_320,
            charset: 'UTF8',
            collation: 'en_US.UTF-8',
            created_at,
          },
        ],
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
      },
    ],
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
    servers: [{ uid: 'f4da061c8e527b93d4e5f60718293a4b', name: 'blog-staging-1' }],
  };
}

function productionBlog(): HeldStack {
  return {
    ...blog('b92c7d1e5f30584a9d6e7f8091a2b3c4', 'production', 551),
    groups: [{ ...group(41, 'PostgreSQL', 'postgresql'), holdsDatabases: true }],
    deployments: [finished(1033, '2026-03-28T07:30:00Z', '2026-03-28T07:33:05Z')],
    variants: [activeVariant(91, 'va-blog-live', 1033)],
    servers: [{ uid: '05eb172d9f638ca4e5f60718293a4b5c', name: 'blog-1' }],
  };
}

function blog(uid: string, environment: string, firstVariable: number): HeldStack {
  return {
    row: seedStackRow({ uid, name: 'blog', environment, language: 'javascript', framework: 'next', health: 3 }),
    containers: true,
    variables: seedVariables(firstVariable, [
      ['NODE_ENV', environment],
      ['SITE_URL', `https://blog.${environment}.harbour.example`],
      ['LOG_LEVEL', environment === 'production' ? 'info' : 'debug'],
    ]),
    deployments: [],
    variants: [],
    groups: [],
    servers: [],
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

function activeVariant(id: number, uid: string, deployment: number): VariantRow {
  return { id, uid, variant_type: 'active', git_hash: seedCommit(deployment), created_at, percentage: 100 };
}
