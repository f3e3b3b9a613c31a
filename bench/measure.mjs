import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Runs commands in turn, so that a slow phase of the machine slows all of them. Returns the runs of each row: `[[{
 * wallMs, cpuMs }]]`. A row is `{ name, command: [file, ...args], env, lines }`; it fails unless it prints that many
 * `lines`.
 */
export function measure(rows, rounds) {
  const runs = rows.map(() => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, row] of rows.entries()) {
      const measured = runOnce(row);
      if (round >= 0) runs[index].push(measured);
    }
  }
  return runs;
}

/** bash measures the CPU time of a child, which Node does not. */
function runOnce(row) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@"';
  const { stdout, stderr } = succeed(row, 'bash', ['-c', script, 'bash', ...row.command]);
  const printed = stdout.split('\n').length - 1;
  if (row.lines && printed !== row.lines) throw new Error(`${row.name} printed ${printed} lines, not ${row.lines}`);
  const [wall, user, system] = stderr.trimEnd().split('\n').at(-1).split(' ').map(Number);
  return { wallMs: wall * 1000, cpuMs: (user + system) * 1000 };
}

function succeed({ name, env }, file, args) {
  const ran = spawnSync(file, args, { env, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
  if (ran.status !== 0) throw new Error(`${name} ended with ${ran.status}: ${ran.stderr ?? ran.error}`);
  return ran;
}

/** Peak memory in MiB as text, by GNU time; `-` without it. */
export function peakOf(row) {
  try {
    const { stderr } = succeed(row, '/usr/bin/time', ['-f', '%M', ...row.command]);
    return String(Math.round(Number(stderr.trimEnd().split('\n').at(-1)) / 1024));
  } catch {
    return '-';
  }
}

export function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** The median of the ratios of runs of the same round. */
export function ratioOf(runs, base, key) {
  return median(runs.map((run, round) => run[key] / base[round][key]));
}

/** The version that a program prints; undefined if it is not installed. */
export function versionOf(file, args = ['--version']) {
  const { status, stdout } = spawnSync(file, args, { encoding: 'utf8' });
  return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? 'of unknown version') : undefined;
}

/** Removes variables that change the speed of Node or the route to the service. */
export function cleanEnvironment(folder, more) {
  const disturbing = /^(NODE_.*|FORCE_COLOR|CLICOLOR_FORCE|CI|STACKOPS_.*|XDG_.*|(https?|all|no)_proxy)$/i;
  const kept = Object.entries(process.env).filter(([name]) => !disturbing.test(name));
  return { ...Object.fromEntries(kept), HOME: folder, XDG_CACHE_HOME: folder, STACKOPS_TOKEN: 'bench', ...more };
}

/** Starts a service in its own process and passes its port to `work`. */
export async function serving(file, args, work) {
  const service = fork(join(import.meta.dirname, file), args.map(String));
  try {
    const [{ port }] = await once(service, 'message');
    return await work(port);
  } finally {
    service.disconnect();
  }
}

/** Prints rows of texts as columns, the first one left-aligned. */
export function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (text, column) => (column === 0 ? text.padEnd(widths[column]) : text.padStart(widths[column]));
  for (const row of rows) console.log(row.map(pad).join('  ').trimEnd());
}

/** `at most 1.45  met`; sets the exit code 1 if it is missed. */
export function judge(figure, most) {
  if (most === undefined) return ['', ''];
  const isMet = figure <= most;
  if (!isMet) process.exitCode = 1;
  return [`at most ${most.toFixed(2)}`, isMet ? 'met' : 'missed'];
}
