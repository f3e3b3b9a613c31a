import { once } from 'node:events';
import { createServer } from 'node:http';
import { large, other } from './budgets.mjs';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const perPage = 30;
/** Only a command that exceeds its budget waits this long. */
const quietMs = 500;

/** The variables of the largest stack; the others have the first 95. */
const variables = Array.from({ length: 500 }, (_, at) => ({
  ...{ id: at, key: `KEY_${at}`, value: 'old', readonly: false },
  updated_at: '2026-05-04T12:00:00Z',
}));
const rows = {
  environments: variables.slice(0, 95),
  application_variants: [{ uid: 'va-canary', variant_type: 'canary', percentage: 10 }],
  gateways: [{ id: 5, name: 'bastion-1', address: '203.0.113.7', ttl: null }],
  deployments: [
    {
      ...{ id: 6, outcome: { code: 1, meaning: 'success' }, is_live: true },
      ...{ started_at: '2026-05-04T11:00:00Z', finished_at: '2026-05-04T11:00:05Z' },
      ...{ git_hash: 'd8b847d', commit_url: 'https://git.example/shop/commit/d8b847d' },
    },
  ],
  servers: [{ uid: 's1', name: 'web-1', health_state: 3, dns_record: 'web-1.shop.example' }],
  processes: [{ name: 'web', servers: { 'web-1': 2 } }],
  // Two pages, newest first.
  backups: Array.from({ length: 40 }, (_, at) => ({
    ...{ id: 40 - at, db_type: 'mysql', database_name: 'shop' },
    backup_date_iso: `2026-05-04T12:00:${59 - at}Z`,
  })),
  settings: [{ key: 'git.branch', value: 'main', updated_at: '2026-05-04T12:00:00Z' }],
  actions: [],
  stacks: [{ uid, name: 'shop', environment: 'production', fqdn: 'shop.example', is_busy: true }],
};

/** The live deployment of the other stack. */
const promoted = { ...rows.deployments[0], git_hash: '9d4e1f7' };
/** The deployment that a request starts. */
const ended = { ...rows.deployments[0], id: 7 };

/**
 * The rounds of requests that a command sends, and its exit; `run` takes words and the address of the service. Nothing
 * depends on time: the service holds its responses until as many requests wait as the budget allows in parallel.
 */
export async function roundsOf({ words, rounds, warm }, run) {
  const service = await startService();
  const address = `http://127.0.0.1:${service.port}/api/3`;
  try {
    if (warm) await run(['variant', 'list', '-s', 'shop'], address);
    const seen = service.countRounds(rounds);
    const { code, stderr } = await run(words.split(' '), address);
    return { seen, code, stderr };
  } finally {
    service.close();
  }
}

async function startService() {
  let seen = [];
  let expected = [];
  let held = [];
  let quiet;
  const release = () => {
    clearTimeout(quiet);
    if (held.length > 0) seen.push(held.length);
    for (const send of held.splice(0)) send();
  };
  const server = createServer((request, response) => {
    request.resume();
    held.push(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(replyTo(request)));
    });
    clearTimeout(quiet);
    if (held.length >= (expected[seen.length] ?? 1)) release();
    else quiet = setTimeout(release, quietMs);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    countRounds(rounds) {
      [seen, expected, held] = [[], rounds, []];
      return seen;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function replyTo({ method, url }) {
  const { pathname, searchParams } = new URL(url, 'http://service');
  const page = Number(searchParams.get('page') ?? 1);
  const collection = pathname.split('/').findLast((part) => part in rows) ?? 'stacks';
  if (method === 'GET' && collection === 'environments' && pathname.includes(large)) return pageOf(variables, page);
  if (method === 'GET' && pathname.endsWith(`/${other}/deployments`)) return pageOf([promoted], page);
  if (method === 'GET' && pathname.endsWith('/deployments/7')) return { response: ended };
  if (method === 'GET' && /\/stacks\/[^/]+$/.test(pathname)) return { response: rows.stacks[0] };
  if (method === 'GET') return pageOf(rows[collection], page);
  if (collection === 'environments') return { response: { key: 'KEY_94', value: 'new', readonly: false } };
  if (collection === 'deployments') return { response: { id: 7, queued: true, message: 'queued', ok: true } };
  return { response: { ok: true, message: 'done' } };
}

function pageOf(all, current) {
  const pages = Math.ceil(all.length / perPage);
  const response = all.slice((current - 1) * perPage, current * perPage);
  return {
    response,
    count: response.length,
    pagination: { current, pages, next: current < pages ? current + 1 : null },
  };
}
