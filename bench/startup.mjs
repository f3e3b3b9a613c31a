import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';

/**
 * What a start costs, in multiples of a Node that does nothing: `node bench/startup.mjs [rounds]`.
 *
 * The rows take turns within a round, and every round yields one ratio per row: a machine that slows down for a while
 * slows both sides of a ratio. Times of rounds are compared by their median, and so are the ratios.
 */
const root = resolve(import.meta.dirname, '..');
const cli = join(root, 'bin/stackops.js');
const rounds = Number(process.argv[2] ?? 25);
const warmUps = 3;

const rows = [
  { name: 'node -e 0', words: ['-e', '0'] },
  { name: '--version', words: [cli, '--version'], goal: 1.15 },
  { name: 'stack env set --help', words: [cli, 'stack', 'env', 'set', '--help'], goal: 1.5 },
  { name: 'stack list (30, piped)', words: [cli, 'stack', 'list'], goal: 2.8, lines: 30 },
];

const config = mkdtempSync(join(tmpdir(), 'stackops-bench-'));
const server = fork(join(root, 'bench/server.mjs'));
try {
  const [{ url }] = await once(server, 'message');
  report(measure(cleanEnvironment(url)));
} finally {
  server.disconnect();
  rmSync(config, { recursive: true, force: true });
}

/** Whatever makes Node itself slower or faster, or changes the way to the server, would measure the shell and not us. */
function cleanEnvironment(url) {
  const disturbing = /^(NODE_.*|FORCE_COLOR|CLICOLOR_FORCE|STACKOPS_.*|(https?|all|no)_proxy)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !disturbing.test(name));
  return {
    ...Object.fromEntries(kept),
    STACKOPS_BASE_URL: url,
    STACKOPS_TOKEN: 'bench',
    STACKOPS_CONFIG_DIR: config,
  };
}

/** Milliseconds by row and round: `[[20.1, 19.8], [21.0, 20.7]]`. */
function measure(env) {
  const times = rows.map(() => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (const [index, row] of rows.entries()) {
      const ms = timeOf(row, env);
      if (round >= 0) times[index].push(ms);
    }
  }
  return times;
}

function timeOf({ name, words, lines }, env) {
  const start = performance.now();
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
  const printed = String(stdout).split('\n').length - 1;
  if (lines && printed !== lines) throw new Error(`${name} printed ${printed} lines instead of ${lines}`);
  return ms;
}

function report(times) {
  console.log(
    `${'row'.padEnd(24)} ${'median'.padStart(9)} ${'ratio'.padStart(7)} ${'goal'.padStart(7)}   ${rounds} rounds`,
  );
  for (const [index, { name, goal }] of rows.entries()) {
    const ratio = median(times[index].map((ms, round) => ms / times[0][round]));
    const verdict = goal === undefined ? '' : ` ${goal.toFixed(2).padStart(7)}   ${ratio <= goal ? 'met' : 'missed'}`;
    console.log(
      `${name.padEnd(24)} ${median(times[index]).toFixed(1).padStart(6)} ms ${ratio.toFixed(2).padStart(7)}${verdict}`,
    );
  }
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
