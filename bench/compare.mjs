import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listToHcloud } from './budgets.mjs';
import {
  cleanEnvironment,
  judge,
  measure,
  median,
  peakOf,
  printTable,
  ratioOf,
  serving,
  versionOf,
} from './measure.mjs';

/**
 * A list with stackops and with other programs, over TLS, with and without latency. hcloud reads its own list, with 50
 * rows a page instead of 30. gh has no such list; its version shows the cost of its start.
 */
const cli = resolve(import.meta.dirname, '../bin/stackops.js');
const cases = [
  { total: 30, latencyMs: 0, rounds: 9 },
  { total: 30, latencyMs: 100, rounds: 9 },
  { total: 10_000, latencyMs: 0, rounds: 3 },
  { total: 10_000, latencyMs: 100, rounds: 3 },
];
const hasHcloud = versionOf('hcloud', ['version']) !== undefined;
const hasGh = versionOf('gh') !== undefined;

const folder = mkdtempSync(join(tmpdir(), 'stackops-bench-'));
const authority = join(folder, 'ca.pem');
try {
  const [, certificate] = readFileSync(resolve(cli, '../../test/transcripts/http/certificate.ts'), 'utf8').match(
    /-----BEGIN[^`]+/g,
  );
  writeFileSync(authority, certificate);
  for (const each of cases) await compare(each);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const [name, has] of Object.entries({ hcloud: hasHcloud, gh: hasGh }))
  if (!has) console.log(`${name}: not installed`);

function compare({ total, latencyMs, rounds }) {
  const report = (port) => reportCase({ total, latencyMs, rounds }, port);
  const behindProxy = (port) => serving('delay-proxy.mjs', [port, latencyMs], report);
  return serving('server.mjs', ['--tls', '--total', total], latencyMs === 0 ? report : behindProxy);
}

function reportCase({ total, latencyMs, rounds }, port) {
  const rows = rowsFor(total, `https://localhost:${port}`);
  const runs = measure(rows, rounds);
  const hcloud = runs[rows.findIndex(({ name }) => name.startsWith('hcloud'))];
  const lines = rows.map((row, at) => {
    const of = (key) => `${median(runs[at].map((run) => run[key])).toFixed(0)} ms`;
    const isOurs = row.name.startsWith('stackops');
    const verdict =
      isOurs && hcloud && latencyMs > 0 ? judge(ratioOf(runs[at], hcloud, 'wallMs'), listToHcloud[total]) : ['', ''];
    const ofHcloud = hcloud ? `${ratioOf(runs[at], hcloud, 'wallMs').toFixed(2)} x` : '';
    return [row.name, of('wallMs'), of('cpuMs'), peakOf(row), ofHcloud, ...verdict];
  });
  const name = `${total} rows, ${latencyMs} ms, ${rounds} rounds`;
  printTable([[name, 'time', 'CPU', 'peak MiB', hcloud ? 'of hcloud' : '', '', ''], ...lines]);
  console.log();
}

function rowsFor(total, origin) {
  const env = cleanEnvironment(folder, {
    NODE_EXTRA_CA_CERTS: authority,
    SSL_CERT_FILE: authority,
    STACKOPS_BASE_URL: `${origin}/api/3`,
    HCLOUD_ENDPOINT: `${origin}/v1`,
    HCLOUD_TOKEN: 'bench',
  });
  const pages = `${origin}/api/3/stacks?page=[1-${Math.ceil(total / 30)}]`;
  const script = join(import.meta.dirname, 'peers/undici-list.mjs');
  const curl = ['curl', '--silent', '--fail', '--cacert', authority, '--parallel', '--parallel-max', '8'];
  const rows = [
    { name: 'curl, 8 at once', command: [...curl, pages] },
    {
      name: 'minimal undici script, 8 at once',
      command: [process.execPath, script, `${origin}/api/3/stacks`],
      lines: total,
    },
    { name: 'stackops stack list', command: [process.execPath, cli, 'stack', 'list'], lines: total },
    hasHcloud && { name: 'hcloud server list', command: ['hcloud', 'server', 'list', '-o', 'noheader'], lines: total },
    hasGh && total === 30 && { name: 'gh --version', command: ['gh', '--version'] },
  ];
  return rows.filter(Boolean).map((row) => ({ ...row, env }));
}
