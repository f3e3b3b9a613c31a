import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listToUndici, startBudgets, writeToList } from './budgets.mjs';
import { cleanEnvironment, judge, measure, median, peakOf, printTable, ratioOf, serving } from './measure.mjs';

/**
 * The cost of a start in CPU time, in multiples of a Node that does nothing. The service is on this machine, without
 * TLS. `node bench/startup.mjs [rounds] [checkout]` measures the built program of another checkout beside it.
 */
const cli = resolve(import.meta.dirname, '../bin/stackops.js');
const [, , rounds = 15, checkout] = process.argv;
const other = checkout && resolve(checkout, 'bin/stackops.js');
const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const { version, help, list } = startBudgets[process.versions.node.split('.')[0]] ?? {};

const folder = mkdtempSync(join(tmpdir(), 'stackops-bench-'));
try {
  await serving('server.mjs', ['--total', 30], report);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(port) {
  const url = `http://127.0.0.1:${port}/api/3`;
  const env = cleanEnvironment(folder, { STACKOPS_BASE_URL: url });
  const script = join(import.meta.dirname, 'peers/undici-list.mjs');
  const otherRows = [
    { name: 'other checkout: --version', args: [other, '--version'] },
    { name: 'other checkout: stack env set --help', args: [other, 'stack', 'env', 'set', '--help'] },
    { name: 'other checkout: stack list', args: [other, 'stack', 'list'], lines: 30 },
  ];
  const rows = [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'stackops --version', args: [cli, '--version'], most: version },
    { name: 'stackops stack env set --help', args: [cli, 'stack', 'env', 'set', '--help'], most: help },
    { name: 'stackops stack list', args: [cli, 'stack', 'list'], most: list, lines: 30 },
    { name: 'minimal undici script', args: [script, `${url}/stacks`], lines: 30 },
    { name: 'stackops stack env set', args: [cli, 'stack', 'env', 'set', 'KEY=new', '-s', uid] },
    ...(other ? otherRows : []),
  ].map((row) => ({ ...row, env, command: [process.execPath, ...row.args] }));
  const runs = measure(rows, Number(rounds));
  const [base, , , listed, minimal, written] = runs;
  const lines = rows.map((row, at) => {
    const ratio = ratioOf(runs[at], base, 'cpuMs');
    const cpu = `${median(runs[at].map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`;
    return [row.name, cpu, `${ratio.toFixed(2)} x`, peakOf(row), ...judge(ratio, row.most)];
  });
  printTable([[`Start, ${rounds} rounds`, 'CPU', 'of node -e 0', 'peak MiB', 'budget', ''], ...lines]);
  const compared = [
    ['stack list, of the undici script', ratioOf(listed, minimal, 'cpuMs'), listToUndici],
    ['stack env set, of stack list', ratioOf(written, listed, 'cpuMs'), writeToList],
  ];
  console.log();
  printTable(compared.map(([name, ratio, most]) => [name, `${ratio.toFixed(2)} x`, ...judge(ratio, most)]));
}
