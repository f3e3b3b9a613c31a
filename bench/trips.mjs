import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { budgets } from './budgets.mjs';
import { roundsOf } from './rounds.mjs';

/**
 * Requests of commands, in sequence and in total, beside their budgets; exits with 1 if one is exceeded. `node
 * bench/trips.mjs [checkout [words]]` counts those of the built program of another checkout, or of one command.
 */
const [, , checkout = join(import.meta.dirname, '..'), chosen] = process.argv;
const cli = resolve(checkout, 'bin/stackops.js');

/** The UID as it is printed. */
const printed = (words) => words.replaceAll(/[0-9a-f]{32}/g, 'UID');
const counted = budgets.filter(({ words }) => [undefined, words, printed(words)].includes(chosen));
if (counted.length === 0) throw new Error(`budgets.mjs has none of "${chosen}"`);
let isWithin = true;
for (const budget of counted) report(budget, await tripsOf(budget));
process.exitCode = isWithin ? 0 : 1;

function report({ words, rounds, warm }, { seen, code, stderr }) {
  const isMet = code === 0 && String(seen) === String(rounds);
  isWithin &&= isMet;
  const figure = `${seen.length} in a row, ${sum(seen)} in all`;
  const goal = `at most ${rounds.length}, ${sum(rounds)}`;
  const name = `${printed(words)}${warm ? ' (again)' : ''}`;
  console.log(`${name.padEnd(58)} ${figure.padEnd(24)} ${goal.padEnd(14)} ${isMet ? 'met' : `missed ${stderr}`}`);
}

async function tripsOf(budget) {
  const folder = mkdtempSync(join(tmpdir(), 'stackops-trips-'));
  try {
    const env = cleanEnvironment(folder);
    return await roundsOf(budget, (words, address) => run(words, { ...env, STACKOPS_BASE_URL: address }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function cleanEnvironment(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(NODE_.*|STACKOPS_.*|CI|.*_proxy)$/i.test(name));
  return { ...Object.fromEntries(kept), HOME: folder, XDG_CACHE_HOME: folder, STACKOPS_TOKEN: 'bench' };
}

async function run(words, env) {
  const child = spawn(process.execPath, [cli, ...words], {
    env,
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
