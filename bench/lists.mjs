import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { activityToHalf, yamlToJson } from './budgets.mjs';
import { cleanEnvironment, judge, measure, median, printTable, ratioOf, serving } from './measure.mjs';

/** `node bench/lists.mjs [rounds]`: the CPU time of long lists, which must grow no faster than their rows. */
const cli = resolve(import.meta.dirname, '../bin/stackops.js');
const rounds = Number(process.argv[2] ?? 3);
const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const folder = mkdtempSync(join(tmpdir(), 'stackops-bench-'));
try {
  const activity = ['activity', '-s', uid, '--since', '30d', '--type', 'deployment,action'];
  await serving('server.mjs', ['--total', 2500], (half) =>
    serving('server.mjs', ['--total', 5000], (whole) =>
      report(
        [
          { name: 'activity, 5,000 rows', words: activity, port: half },
          { name: 'activity, 10,000 rows', words: activity, port: whole },
        ],
        activityToHalf,
      ),
    ),
  );
  await serving('server.mjs', ['--total', 100_000], (port) =>
    report(
      [
        { name: 'stack list --json, 100,000 rows', words: ['stack', 'list', '--json'], port },
        { name: 'stack list --output yaml, 100,000 rows', words: ['stack', 'list', '--output', 'yaml'], port },
      ],
      yamlToJson,
    ),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(lists, most) {
  const runs = measure(lists.map(runnable), rounds);
  const [base] = runs;
  const lines = lists.map(({ name }, at) => {
    const cpu = `${median(runs[at].map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`;
    const ratio = ratioOf(runs[at], base, 'cpuMs');
    return [name, cpu, `${ratio.toFixed(2)} x`, ...(at === 0 ? ['', ''] : judge(ratio, most))];
  });
  printTable([[`Long lists, ${rounds} rounds`, 'CPU', 'of the first', 'budget', ''], ...lines]);
}

function runnable({ name, words, port }) {
  const env = cleanEnvironment(folder, { STACKOPS_BASE_URL: `http://127.0.0.1:${port}/api/3` });
  return { name, command: [process.execPath, cli, ...words], env };
}
