import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listToUndici, startBudgets } from './budgets.mjs';
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
 * The cost of a start in CPU time, in multiples of a Node that does nothing. The service is on this machine, without
 * TLS. `node bench/startup.mjs [rounds] [checkout]` measures the built program of another checkout beside it.
 */
const cli = resolve(import.meta.dirname, '../bin/stackops.js');
const [, , rounds = 15, checkout] = process.argv;
const other = checkout && resolve(checkout, 'bin/stackops.js');
const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const most = startBudgets[process.versions.node.split('.')[0]] ?? {};

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
  const ofProgram = (program, prefix, budgets) => [
    { name: `${prefix} --version`, args: [program, '--version'], most: budgets.version },
    { name: `${prefix} stack env set --help`, args: [program, 'stack', 'env', 'set', '--help'], most: budgets.help },
    { name: `${prefix} stack list`, args: [program, 'stack', 'list'], most: budgets.list, lines: 30 },
    {
      name: `${prefix} stack env set`,
      args: [program, 'stack', 'env', 'set', 'KEY=new', '-s', uid],
      most: budgets.write,
    },
    {
      name: `${prefix} stack list --jq`,
      args: [program, 'stack', 'list', '--jq', '.[].name'],
      most: budgets.jq,
      lines: 30,
    },
    ...(versionOf('script')
      ? [{ name: `${prefix} stack list, drawn`, args: [program, 'stack', 'list'], drawn: true, most: budgets.drawn }]
      : []),
  ];
  const rows = [
    { name: 'node -e 0', args: ['-e', '0'] },
    { name: 'minimal undici script', args: [script, `${url}/stacks`], lines: 30 },
    ...ofProgram(cli, 'stackops', most),
    ...(other ? ofProgram(other, 'other checkout:', {}) : []),
  ].map((row) => ({ ...row, env, command: commandOf(row) }));
  const runs = measure(rows, Number(rounds));
  const [base, minimal, , , listed] = runs;
  const lines = rows.map((row, at) => {
    const ratio = ratioOf(runs[at], base, 'cpuMs');
    const cpu = `${median(runs[at].map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`;
    return [row.name, cpu, `${ratio.toFixed(2)} x`, peakOf(row), ...judge(ratio, row.most)];
  });
  printTable([[`Start, ${rounds} rounds`, 'CPU', 'of node -e 0', 'peak MiB', 'budget', ''], ...lines]);
  const ratio = ratioOf(listed, minimal, 'cpuMs');
  console.log();
  printTable([['stack list, of the undici script', `${ratio.toFixed(2)} x`, ...judge(ratio, listToUndici)]]);
}

/** What is drawn is drawn for a terminal of 200 columns. */
function commandOf({ args, drawn }) {
  if (!drawn) return [process.execPath, ...args];
  const line = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
  return ['script', '--quiet', '--return', '--command', `TERM=xterm COLUMNS=200 exec ${line}`, '/dev/null'];
}
