import { createServer } from 'node:http';

/**
 * A stack collection served as fast as Node can: every page is made before the first request.
 * `node bench/server.mjs [--total 30] [--delay-ms 0]` prints its address; a forked one sends it and ends with its parent.
 */
const options = readOptions(process.argv.slice(2));
const perPage = 30;
const pages = Math.max(1, Math.ceil(options.total / perPage));
const bodies = Array.from({ length: pages }, (_, index) => Buffer.from(JSON.stringify(pageOf(index + 1))));
const notFound = Buffer.from('{"error":"not_found"}');

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://bench');
  const body = pathname === '/api/3/stacks' ? bodies[Number(searchParams.get('page') ?? 1) - 1] : undefined;
  const answer = () => {
    response.writeHead(body ? 200 : 404, {
      'content-type': 'application/json',
      'content-length': (body ?? notFound).length,
    });
    response.end(body ?? notFound);
  };
  if (options.delayMs > 0) setTimeout(answer, options.delayMs);
  else answer();
});

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}/api/3`;
  if (process.send) process.send({ url });
  else console.log(url);
});
process.on('disconnect', () => process.exit(0));

function readOptions(words) {
  const numberAfter = (name, otherwise) => {
    const at = words.indexOf(name);
    return at < 0 ? otherwise : Number(words[at + 1]);
  };
  return { total: numberAfter('--total', 30), delayMs: numberAfter('--delay-ms', 0) };
}

function pageOf(current) {
  const first = (current - 1) * perPage;
  const count = Math.min(perPage, options.total - first);
  return {
    response: Array.from({ length: count }, (_, index) => stackOf(first + index)),
    count,
    pagination: {
      previous: current > 1 ? current - 1 : null,
      next: current < pages ? current + 1 : null,
      current,
      per_page: perPage,
      count: options.total,
      pages,
    },
  };
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
