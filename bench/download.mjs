import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { downloadToUndici } from './budgets.mjs';
import { cleanEnvironment, judge, measure, median, peakOf, printTable, ratioOf, serving } from './measure.mjs';

/**
 * `node bench/download.mjs [rounds]`: a file of 500 MB from this machine to its disk. Only stackops waits for the disk.
 */
const cli = resolve(import.meta.dirname, '../bin/stackops.js');
const rounds = Number(process.argv[2] ?? 5);
const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

const folder = mkdtempSync(join(tmpdir(), 'stackops-bench-'));
try {
  await serving('server.mjs', ['--megabytes', 500], report);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(port) {
  const origin = `http://127.0.0.1:${port}`;
  const env = cleanEnvironment(folder, { STACKOPS_BASE_URL: `${origin}/api/3` });
  const target = join(folder, 'shop.tar');
  const script = join(import.meta.dirname, 'peers/undici-save.mjs');
  const download = ['backup', 'download', '901', '-s', uid, '--output-dir', folder, '--force'];
  const rows = [
    { name: 'minimal undici script', command: [process.execPath, script, `${origin}/backup`, target] },
    { name: 'curl', command: ['curl', '--silent', '--output', target, `${origin}/backup`] },
    { name: 'stackops backup download', command: [process.execPath, cli, ...download], most: downloadToUndici },
  ].map((row) => ({ ...row, env }));
  const runs = measure(rows, rounds);
  const lines = rows.map((row, at) => {
    const of = (key) => `${median(runs[at].map((run) => run[key])).toFixed(0)} ms`;
    const [wall, cpu] = ['wallMs', 'cpuMs'].map((key) => ratioOf(runs[at], runs[0], key));
    const ratios = [`${wall.toFixed(2)} x`, `${cpu.toFixed(2)} x`];
    return [row.name, of('wallMs'), ratios[0], of('cpuMs'), ratios[1], peakOf(row), ...judge(wall, row.most)];
  });
  const head = [
    `Download of 500 MB, ${rounds} rounds`,
    'time',
    'of undici',
    'CPU',
    'of undici',
    'peak MiB',
    'budget',
    '',
  ];
  printTable([head, ...lines]);
}
