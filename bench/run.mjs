import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, release, type } from 'node:os';
import { join } from 'node:path';
import { versionOf } from './measure.mjs';

/**
 * `npm run bench [-- --check]`: prints all measurements and writes results.md; with --check a missed budget exits with
 * 1.
 */
const parts = ['trips.mjs', 'startup.mjs', 'download.mjs', 'compare.mjs', 'lists.mjs'];
const peers = { curl: versionOf('curl'), hcloud: versionOf('hcloud', ['version']), gh: versionOf('gh') };

const about = [
  `${new Date().toISOString().slice(0, 10)}: ${cpus()[0].model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}, ${type()} ${release()} ${arch()}, Node ${process.version}`,
  ...Object.entries(peers).map(([name, version]) => `${name} ${version ?? 'not installed'}`),
].join(', ');
console.log(`${about}\n`);

const texts = [];
let isWithin = true;
for (const part of parts) {
  const { text, code } = await run(part);
  texts.push(`\`\`\`text\n${text.trimEnd()}\n\`\`\`\n`);
  isWithin &&= code === 0;
}
const how =
  'Written by `npm run bench`, described in README.md. CPU is user and system time; x is a median of ratios of the same round.';
writeFileSync(join(import.meta.dirname, 'results.md'), ['# Results\n', `${how}\n`, `${about}.\n`, ...texts].join('\n'));
if (process.argv.includes('--check') && !isWithin) process.exitCode = 1;

async function run(part) {
  const child = spawn(process.execPath, [join(import.meta.dirname, part)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
    process.stdout.write(chunk);
  });
  const [code] = await once(child, 'close');
  console.log();
  return { text, code };
}
