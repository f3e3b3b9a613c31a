import { reply, type Service, startService } from '../../support/service.ts';

const shopUid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
export const crmUid = '6a4d0b2f8c3e5d90af1b2c3d4e5f6071';
/** What no list of names may hold. */
export const canary = 'canary-of-a-value';

const dayMs = 86_400_000;

function lists(now: Date): Readonly<Record<string, readonly unknown[]>> {
  const ago = (days: number) => new Date(now.getTime() - days * dayMs - 3_600_000).toISOString();
  return {
    '/users': [{ id: 7, email: 'ada@harbour.example' }],
    '/stacks': [
      { uid: shopUid, name: 'my shop', environment: 'production', redeploy_hook: canary },
      { uid: crmUid, name: 'crm', environment: 'staging' },
    ],
    [`/stacks/${shopUid}/environments`]: [
      { key: 'LOG_LEVEL', value: canary, readonly: false, history: [{ key: 1, value: canary }] },
      { key: 'LOG_FORMAT', value: canary, readonly: true },
      { key: 'APP', value: canary },
    ],
    [`/stacks/${crmUid}/environments`]: [{ key: 'CRM_KEY', value: canary }],
    [`/stacks/${shopUid}/settings`]: [{ key: 'git.branch', value: canary }],
    [`/stacks/${shopUid}/servers`]: [
      { uid: 'c1a7d3e95b2f4860a1b2c3d4e5f60718', name: "it's", server_roles: ['web', 'db'] },
      { uid: 'd2b8e4fa6c305971b2c3d4e5f6071829', name: 'we$t', server_roles: [] },
      { uid: 'e3c9f50b7d416a82c3d4e5f60718293a', name: 'a"b', server_roles: [] },
    ],
    [`/stacks/${shopUid}/servers/c1a7d3e95b2f4860a1b2c3d4e5f60718/settings`]: [{ key: 'server.name', value: canary }],
    [`/stacks/${shopUid}/processes`]: [
      { name: 'cron:daily', servers: { a: 1 }, command: canary },
      { name: 'mail worker', servers: { a: 2, b: 3 }, command: canary },
    ],
    [`/stacks/${shopUid}/deployments`]: [
      { id: 1042, outcome: { meaning: 'failed' }, started_at: ago(3), git_hash: '9d4e1f7a2b' },
      { id: 1041, outcome: { meaning: 'success' }, started_at: ago(20), git_hash: 'd8b847daf0' },
    ],
    [`/stacks/${shopUid}/application_variants`]: [
      { uid: 'va-active', variant_type: 'active', percentage: 90 },
      { uid: 'va-canary', variant_type: 'canary', percentage: 10 },
    ],
    [`/stacks/${shopUid}/backups`]: [
      { id: 906, backup_status: 1, backup_date_iso: ago(0) },
      { id: 904, backup_status: 0, backup_date_iso: ago(2) },
      { id: 905, backup_status: 0, backup_date_iso: ago(1) },
    ],
    [`/stacks/${shopUid}/backups/905/files`]: [{ id: 'tar', name: 'shop_prod.tar.gz' }],
    [`/stacks/${shopUid}/server_groups`]: [{ id: 21, name: 'data' }],
    [`/stacks/${shopUid}/server_groups/21/database_users`]: [{ uid: 'du1', username: 'app', password: canary }],
    '/tags/server/c1a7d3e95b2f4860a1b2c3d4e5f60718': [{ tags: [{ value: 'eu' }, { value: 'nightly' }] }],
  };
}

/** A service with awkward names, and a secret behind each of them; it goes with the test. */
export async function serveNames(now: Date): Promise<Service> {
  const known = lists(now);
  const service = await startService(({ path }, response) => {
    const rows = known[path];
    if (!rows) return reply(response, { error: 'not found' }, 404);
    const pagination = { previous: null, next: null, current: 1, per_page: 30, count: rows.length, pages: 1 };
    return reply(response, { response: rows, count: rows.length, pagination });
  });
  return service;
}
