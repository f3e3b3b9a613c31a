import { writeFileSync } from 'node:fs';
import { engines, version } from '../package.json';
import { enableCompileCache } from './files/compile-cache.ts';

/**
 * The first file of every start. It answers the cheap questions before anything else is loaded, and reads nothing but
 * argv for `--version`: that is what keeps `--version` close to the time Node itself needs.
 */
const oldest = engines.node.replace('>=', '');
const [word, ...more] = process.argv.slice(2);

if (isTooOld()) {
  process.stderr.write(`error: stackops needs Node ${oldest} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else if (more.length === 0 && (word === '--version' || word === '-V')) {
  tellVersion();
} else {
  process.exitCode = 1;
  enableCompileCache({ env: process.env, user: process.geteuid?.() });
  void import('./main.ts').then(({ main }) => main(version));
}

/** Without a stream, which would take Node longer to build than the rest of the answer. */
function tellVersion(): void {
  try {
    writeFileSync(1, `${version}\n`);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    if (code === 'EPIPE') return;
    process.exitCode = 1;
    process.stderr.write(`error: the output could not be written (${code})\n`);
  }
}

function isTooOld(): boolean {
  const own = process.versions.node.split('.').map(Number);
  const differences = oldest.split('.').map((part, at) => (own[at] ?? 0) - Number(part));
  return (differences.find((difference) => difference !== 0) ?? 0) < 0;
}
