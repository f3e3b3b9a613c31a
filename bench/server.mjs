import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { parseArgs } from 'node:util';

/**
 * A service as fast as Node allows, forked by `measure.mjs`: it sends its port and ends with its parent. It has stacks,
 * deployments, actions, variables, servers as hcloud reads them, and a backup of `--megabytes`. Every page is made before
 * the first request.
 */
const { values } = parseArgs({
  options: {
    total: { type: 'string', default: '30' },
    megabytes: { type: 'string', default: '0' },
    tls: { type: 'boolean', default: false },
  },
});
const total = Number(values.total);
const bytes = Number(values.megabytes) * 1e6;

const stacks = pagesOf(30, ({ rows, current, pages }) => ({
  response: rows.map(stackOf),
  count: rows.length,
  pagination: { ...around(current, pages), current, per_page: 30, count: total, pages },
}));
/** Lists of a stack, by the end of their path. */
const lists = ['deployments', 'actions'].map((name) => [
  `/${name}`,
  pagesOf(30, ({ rows, current, pages }) => ({
    response: rows.map((number) => eventOf(name, number)),
    pagination: { ...around(current, pages), current, per_page: 30, count: total, pages },
  })),
]);
const servers = pagesOf(50, ({ rows, current, pages }) => ({
  servers: rows.map(serverOf),
  meta: {
    pagination: {
      page: current,
      per_page: 50,
      previous_page: around(current, pages).previous,
      next_page: around(current, pages).next,
      last_page: pages,
      total_entries: total,
    },
  },
}));
const onePage = { previous: null, next: null, current: 1, per_page: 30, count: 1, pages: 1 };
const piece = Buffer.alloc(1 << 20, 'stackops');

const replies = {
  '/api/3/stacks': (page) => stacks[page - 1],
  '/v1/servers': (page) => servers[page - 1],
};
const ends = [
  ['/environments', () => ({ response: [{ id: 1, key: 'KEY', value: 'old', readonly: false }], pagination: onePage })],
  ['/environments/KEY', () => ({ response: { id: 1, key: 'KEY', value: 'new', readonly: false } })],
  ['/files', () => ({ response: [{ id: 'tar', name: 'shop.tar' }], count: 1, pagination: onePage })],
  ['/files/tar', () => ({ response: { ok: true, public_url: `http://127.0.0.1:${server.address().port}/backup` } })],
  ['/backups/901', () => ({ response: { id: 901, db_type: 'mysql', backup_status: 0, backup_size: 0 } })],
];

const server = values.tls ? createTlsServer(readCertificate(), reply) : createServer(reply);
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit(0));

function reply(request, response) {
  const { pathname, searchParams } = new URL(request.url, 'http://bench');
  if (pathname === '/backup') return sendFile(response);
  const page = Number(searchParams.get('page') ?? 1);
  const made = replies[pathname]?.(page) ?? lists.find(([end]) => pathname.endsWith(end))?.[1][page - 1];
  const found = ends.find(([end]) => pathname.endsWith(end))?.[1]();
  const body = made ?? jsonOf(found ?? { error: 'not_found' });
  response.writeHead((made ?? found) ? 200 : 404, {
    'content-type': 'application/json',
    'content-length': body.length,
  });
  response.end(body);
}

function sendFile(response) {
  response.writeHead(200, { 'content-length': bytes, etag: '"backup"' });
  let left = bytes;
  const send = () => {
    while (left > 0) {
      const next = piece.subarray(0, left);
      left -= next.length;
      if (!response.write(next)) return response.once('drain', send);
    }
    response.end();
  };
  send();
}

/** The localhost certificate of the tests. */
function readCertificate() {
  const text = readFileSync(new URL('../test/transcripts/http/certificate.ts', import.meta.url), 'utf8');
  const [key, cert] = text.match(/-----BEGIN[^`]+/g);
  return { key, cert };
}

function pagesOf(perPage, make) {
  const pages = Math.max(1, Math.ceil(total / perPage));
  return Array.from({ length: pages }, (_, index) => {
    const first = index * perPage;
    const rows = Array.from({ length: Math.min(perPage, total - first) }, (_, at) => first + at);
    return jsonOf(make({ rows, current: index + 1, pages }));
  });
}

function jsonOf(value) {
  return Buffer.from(JSON.stringify(value));
}

function around(current, pages) {
  return { previous: current > 1 ? current - 1 : null, next: current < pages ? current + 1 : null };
}

function stackOf(number) {
  return {
    uid: number.toString(16).padStart(32, '0'),
    name: `shop-${number}`,
    environment: number % 2 ? 'staging' : 'production',
    status: 1,
    health: 3,
    account_id: 42,
    account_name: 'Example',
    git: 'git@example.test:shop.git',
    git_branch: 'main',
    cloud: 'hetzner',
    fqdn: `shop-${number}.example.test`,
    language: 'ruby',
    framework: 'rails',
    backend: 'puma',
    is_busy: false,
    is_cluster: false,
    maintenance_mode: false,
    redeploy_hook: null,
    last_activity: '2026-03-01T10:00:00Z',
    created_at: '2025-11-20T08:30:00Z',
    updated_at: '2026-02-28T17:45:00Z',
  };
}

/** A deployment and its action every two minutes, in the last days. */
function eventOf(list, number) {
  const at = (seconds) => new Date(Date.now() - number * 120_000 + seconds * 1000).toISOString();
  const event = { id: total - number, started_at: at(0), finished_at: at(5) };
  if (list === 'deployments') return { ...event, outcome: { code: 1, meaning: 'success' }, triggered_by: 'ada' };
  return { ...event, action: 'deploy', user: 'ada', finished_success: true };
}

function serverOf(number) {
  const location = { id: 1, name: 'fsn1', city: 'Falkenstein', country: 'DE' };
  const resources = { cores: 2, memory: 4, disk: 40, storage_type: 'local', architecture: 'x86' };
  return {
    id: number + 1,
    name: `shop-${number}`,
    status: 'running',
    created: '2026-03-01T10:00:00+00:00',
    public_net: { ipv4: { ip: '203.0.113.7' }, ipv6: { ip: '2001:db8::/64' }, floating_ips: [] },
    private_net: [],
    server_type: { id: 22, name: 'cpx11', description: 'CPX 11', ...resources },
    datacenter: { id: 4, name: 'fsn1-dc14', description: 'Falkenstein 1', location },
    image: { id: 4711, type: 'system', status: 'available', name: 'debian-12', os_flavor: 'debian' },
    labels: { environment: number % 2 ? 'staging' : 'production' },
    volumes: [],
  };
}
