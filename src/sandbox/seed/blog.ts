import type { StackState } from '../state.ts';
import { seedBackups } from './backup-rows.ts';
import { seedServer } from './machines.ts';
import { maraEmail } from './made-up.ts';
import { outcomes, seedCommit, seedDeployments, seedGroup, seedStack, seedVariables, seedVariants } from './rows.ts';

export const stagingBlogUid = 'a81b6c0d4e2f49738c5d6e7f80912a3b';
const productionBlogUid = 'b92c7d1e5f30584a9d6e7f8091a2b3c4';
const productionBlogServerUid = '05eb172d9f638ca4e5f60718293a4b5c';
const created_at = '2025-01-20T10:00:00Z';
const liveFields = { is_live: true, is_head: true };
const nextJsFields = { language: 'javascript', framework: 'next' };

/** Returns two stacks with the name `blog`, so that `blog` alone is ambiguous. Only blog/staging runs containers. */
export function seedBlogs(): StackState[] {
  return [seedStagingBlog(), seedProductionBlog()];
}

function seedStagingBlog(): StackState {
  const roles = ['docker', 'postgresql'];
  const server = { uid: 'f4da061c8e527b93d4e5f60718293a4b', name: 'blog-staging-1', roles, group: 32, host: 41 };
  return seedStack({ uid: stagingBlogUid, name: 'blog', environment: 'staging', ...nextJsFields }, 1301, {
    containers: true,
    variables: seedBlogVariables(541, 'staging', 'debug'),
    deployments: seedDeployments('blog', [
      [1035, maraEmail, '2026-04-10T12:00:00Z', '2026-04-10T12:02:40Z', liveFields],
      [1036, maraEmail, '2026-04-11T12:00:00Z', '2026-04-11T12:00:52Z', { outcome: outcomes.failed }],
    ]),
    variants: seedVariants([
      [81, 'va-blog', 'active', 100, created_at, seedCommit(1035)],
      // service.md does not give the wire value of blue-green variants. This is the usual spelling.
      [82, 'va-green', 'blue_green', 0, created_at, seedCommit(1035)],
    ]),
    // There are two groups, and only the second has databases, so database commands need `-g 32`.
    groups: [
      seedGroup({ id: 31, name: 'Web', type: 'docker', created_at }),
      seedGroup(
        { id: 32, name: 'PostgreSQL', type: 'postgresql', created_at },
        [['db6b1', 'blog_staging', 73_400_320, created_at]],
        [['du8d1', 'blog', 'application', created_at, ['db6b1']]],
      ),
    ],
    servers: [seedServer(stagingBlogUid, 2201, server)],
  });
}

function seedProductionBlog(): StackState {
  const server = { uid: productionBlogServerUid, name: 'blog-1', roles: ['web', 'postgresql'], group: 41, host: 51 };
  const db = { db_type: 'postgresql', database_name: 'blog', server_uid: productionBlogServerUid };
  return seedStack({ uid: productionBlogUid, name: 'blog', environment: 'production', ...nextJsFields }, 1401, {
    variables: seedBlogVariables(551, 'production', 'info'),
    deployments: seedDeployments('blog', [
      [1033, maraEmail, '2026-03-28T07:30:00Z', '2026-03-28T07:33:05Z', liveFields],
    ]),
    variants: seedVariants([[91, 'va-blog-live', 'active', 100, created_at, seedCommit(1033)]]),
    groups: [seedGroup({ id: 41, name: 'PostgreSQL', type: 'postgresql', created_at })],
    servers: [seedServer(productionBlogUid, 2301, server)],
    // All backups are good, so that one stack of the sandbox has no problems.
    backups: seedBackups(productionBlogUid, [
      { ...db, id: 899, backup_date_iso: '2026-05-03T03:30:00Z', backup_size: 131_072 },
      { ...db, id: 900, backup_date_iso: '2026-05-04T03:30:00Z', backup_size: 135_168 },
    ]),
  });
}

function seedBlogVariables(firstId: number, environment: string, logLevel: string): StackState['variables'] {
  return seedVariables(firstId, [
    ['NODE_ENV', environment],
    ['SITE_URL', `https://blog.${environment}.harbour.example`],
    ['LOG_LEVEL', logLevel],
  ]);
}
