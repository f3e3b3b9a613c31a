import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run bench:storm`: 100 programs that each write five profiles in sequence, first into separate folders and then
 * all into one. None may be lost, and the slowest write in one folder may take at most twice as long.
 */
const programs = Number(process.argv[2] ?? 100);
const writes = 5;
const stackops = fileURLToPath(new URL('../bin/stackops.js', import.meta.url));

const apart = await storm((n) => `folder-${n}`);
const together = await storm(() => 'folder');
console.log(`slowest together / apart: ${(together / apart).toFixed(2)}`);

async function storm(folderOf) {
  const base = mkdtempSync(join(tmpdir(), 'stackops-storm-'));
  const began = performance.now();
  const times = (
    await Promise.all(Array.from({ length: programs }, (_, n) => program(n, join(base, folderOf(n)))))
  ).flat();
  const seconds = (performance.now() - began) / 1000;
  const folders = new Set(Array.from({ length: programs }, (_, n) => folderOf(n)));
  const kept = [...folders].flatMap((folder) =>
    Object.keys(JSON.parse(readFileSync(join(base, folder, 'config.json'), 'utf8')).profiles),
  );
  rmSync(base, { recursive: true });
  times.sort((a, b) => a - b);
  const [median, slowest] = [times[times.length >> 1], times.at(-1)];
  const figures = [`median ${median.toFixed(2)} s`, `slowest ${slowest.toFixed(2)} s`, `all ${seconds.toFixed(1)} s`];
  console.log(`${folders.size} folder(s): kept ${kept.length} of ${programs * writes}; ${figures.join(', ')}`);
  return slowest;
}

async function program(n, folder) {
  const times = [];
  for (let write = 0; write < writes; write += 1) {
    const began = performance.now();
    const words = ['profile', 'set', `stack=${n}`, '-p', `p${n}-${write}`];
    const env = { PATH: process.env.PATH, STACKOPS_CONFIG_DIR: folder };
    const child = spawn(process.execPath, [stackops, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) console.log(`program ${n}, write ${write}: exit ${code}: ${said.trim()}`);
    times.push((performance.now() - began) / 1000);
  }
  return times;
}
