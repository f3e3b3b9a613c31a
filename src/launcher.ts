import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { engines, version } from '../package.json';
import { enableCompileCache } from './files/compile-cache.ts';

/**
 * The first file of every start. It answers `--version`, and `--help` from the pages that the build wrote, before
 * anything else is loaded. So they take little longer than the start of Node.
 */
const oldestNode = engines.node.replace('>=', '');
/** The first Node with a compile cache: an older one takes time to report that it has none. */
const firstWithCache = '22.8.0';
const args = process.argv.slice(2);
const bun = process.versions['bun'];
// Warnings of Node are for developers, not for operators or programs that read stderr as JSON.
if (!process.env['STACKOPS_DEBUG']) process.removeAllListeners('warning');

if (isBefore(oldestNode)) {
  process.stderr.write(`error: stackops needs Node ${oldestNode} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  const text = shortAnswer(args);
  if (text === undefined) start();
  else writeAnswer(Buffer.from(text));
}

function start(): void {
  process.exitCode = 1;
  if (!isBefore(firstWithCache)) enableCompileCache({ env: process.env, user: process.geteuid?.() });
  void import('./main.ts').then(({ main }) => main(version, styledPage));
}

function shortAnswer(typed: readonly string[]): string | undefined {
  const last = typed.at(-1);
  if (typed.length === 1 && (last === '--version' || last === '-V')) {
    return bun ? `stackops ${version} (bun ${bun})\n` : `${version}\n`;
  }
  if (last !== '--help' && last !== '-h' && last !== undefined) return undefined;
  return helpPage(typed.slice(0, -1));
}

function helpPage(path: readonly string[]): string | undefined {
  if (!path.every((word) => /^[a-z-]+$/.test(word))) return undefined;
  try {
    return styledPage(readFileSync(`${__dirname}/help/${['stackops', ...path].join('.')}.txt`, 'utf8'));
  } catch {
    return undefined;
  }
}

function styledPage(page: string): string {
  const { NO_COLOR, CI, TERM, STACKOPS_COLOR } = process.env;
  // A terminal is a character device. Node would need longer to load its own check.
  const isPlain = NO_COLOR || CI || TERM === 'dumb' || STACKOPS_COLOR === 'never' || !fstatSync(1).isCharacterDevice();
  return isPlain ? page : page.replace(/^[A-Z][A-Za-z ,-]{0,40}:/gm, '\x1b[1m$&\x1b[22m');
}

/** Writes without a stream, which Node would need longer to build than the whole answer. */
function writeAnswer(answer: Buffer): void {
  let rest = answer;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(1, rest));
  } catch (error) {
    // The stream waits for a reader that is slow; this cannot.
    if (codeOf(error) === 'EAGAIN') process.stdout.on('error', reportUnlessClosed).write(rest);
    else reportUnlessClosed(error);
  }
}

function reportUnlessClosed(error: unknown): void {
  // Windows reports EOF for a closed pipe.
  if (codeOf(error) === 'EPIPE' || codeOf(error) === 'EOF') return;
  process.exitCode = 1;
  process.stderr.write(`error: the output could not be written (${codeOf(error)})\n`);
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : 'unknown';
}

function isBefore(version: string): boolean {
  const own = process.versions.node.split('.').map(Number);
  const differences = version.split('.').map((part, at) => (own[at] ?? 0) - Number(part));
  return (differences.find((difference) => difference !== 0) ?? 0) < 0;
}
