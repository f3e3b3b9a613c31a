import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ownTarget, programName } from '../packaging/standalone.mjs';
import { listToUndici, standaloneBudgets, startBudgets } from './budgets.mjs';
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
 * The CPU time of starts, in multiples of an idle Node. The service is on this machine, without TLS. `node
 * bench/startup.mjs [rounds] [checkout]` also measures the built program of another checkout. The program without Node
 * is measured if it was built, and compared with gh.
 */
const cli = resolve(import.meta.dirname, '../bin/stackops.js');
const standalone = resolve(import.meta.dirname, '../release', programName(ownTarget));
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
  const node = process.execPath;
  const ofProgram = (program, prefix, budgets) =>
    [
      { name: '--version', words: ['--version'], most: budgets.version },
      { name: 'stack env set --help', words: ['stack', 'env', 'set', '--help'], most: budgets.help },
      { name: 'stack list', words: ['stack', 'list'], most: budgets.list, lines: 30 },
      { name: 'stack env set', words: ['stack', 'env', 'set', 'KEY=new', '-s', uid], most: budgets.write },
      { name: 'stack list --jq', words: ['stack', 'list', '--jq', '.[].name'], most: budgets.jq, lines: 30 },
      ...(versionOf('script')
        ? [{ name: 'stack list, drawn', words: ['stack', 'list'], drawn: true, most: budgets.drawn }]
        : []),
    ].map(({ name, words, ...row }) => ({ ...row, name: `${prefix} ${name}`, words: [...program, ...words] }));
  const rows = [
    { name: 'node -e 0', words: [node, '-e', '0'] },
    { name: 'minimal undici script', words: [node, script, `${url}/stacks`], lines: 30 },
    ...ofProgram([node, cli], 'stackops', most),
    ...(other ? ofProgram([node, other], 'other checkout:', {}) : []),
    ...(existsSync(standalone) ? ofProgram([standalone], 'without Node:', standaloneBudgets) : []),
    ...(versionOf('gh') ? [{ name: 'gh --version', words: ['gh', '--version'] }] : []),
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
  if (!existsSync(standalone)) console.log('without Node: not made (npm run binary)');
  console.log();
  printTable([
    ['stack list, of the undici script', `${ratio.toFixed(2)} x`, ...judge(ratio, listToUndici)],
    ...besideGh(rows, runs),
  ]);
}

/** Each start of the program without Node that has a budget, in multiples of `gh --version`. */
function besideGh(rows, runs) {
  const gh = runs[rows.findIndex(({ name }) => name.startsWith('gh'))];
  if (!gh) return [];
  return rows.flatMap(({ name, most: budget }, at) => {
    if (!name.startsWith('without Node') || budget === undefined) return [];
    const ratio = ratioOf(runs[at], gh, 'cpuMs');
    return [[`${name}, of gh --version`, `${ratio.toFixed(2)} x`, ...judge(ratio, 1)]];
  });
}

/** Drawn output needs a terminal, here of 200 columns. */
function commandOf({ words, drawn }) {
  if (!drawn) return words;
  const line = words.map((word) => `'${word}'`).join(' ');
  return ['script', '--quiet', '--return', '--command', `TERM=xterm COLUMNS=200 exec ${line}`, '/dev/null'];
}
