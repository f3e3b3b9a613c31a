import { writeFileSync } from 'node:fs';
import { version } from '../package.json';

/**
 * The first file of every start. It answers the cheap questions before anything else is loaded, and reads nothing but
 * argv: that is what keeps `--version` close to the time Node itself needs.
 */
const oldest = [20, 18] as const;
const [word, ...more] = process.argv.slice(2);

if (isTooOld()) {
  process.stderr.write(`error: stackops needs Node ${oldest.join('.')} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else if (more.length === 0 && (word === '--version' || word === '-V')) {
  writeFileSync(1, `${version}\n`);
} else {
  process.exitCode = 1;
  void import('./main.ts').then(({ main }) => main());
}

function isTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
}
