/** The first file of a start. For speed, it answers `--version`, and `--help` from built pages, before loading more. */

import { fstatSync, readFileSync, writeSync } from 'node:fs';
import { engines, version } from '../package.json';
import { enableCompileCache } from './files/compile-cache.ts';

const oldestNode = engines.node.replace('>=', '');
/** The first version of Node with a compile cache. With an older version the launcher does not try to use a cache. */
const oldestNodeWithCache = '22.8.0';
const args = process.argv.slice(2);
const bunVersion = process.versions['bun'];
// Node's warnings are for developers. Users, and programs that read stderr as JSON, must not see them.
if (!process.env['STACKOPS_DEBUG']) process.removeAllListeners('warning');

if (isNodeBefore(oldestNode)) {
  process.stderr.write(`error: stackops needs Node ${oldestNode} or newer; this is ${process.version}\n`);
  process.exitCode = 1;
} else {
  const text = preparedAnswer(args);
  if (text === undefined) startMain();
  else writeAnswer(Buffer.from(text));
}

function startMain(): void {
  process.exitCode = 1;
  if (!isNodeBefore(oldestNodeWithCache)) enableCompileCache({ env: process.env, user: process.geteuid?.() });
  void import('./main.ts').then(({ main }) => main(version, styledPage));
}

function preparedAnswer(typed: readonly string[]): string | undefined {
  const lastWord = typed.at(-1);
  if (typed.length === 1 && (lastWord === '--version' || lastWord === '-V')) {
    return bunVersion ? `stackops ${version} (bun ${bunVersion})\n` : `${version}\n`;
  }
  if (lastWord !== '--help' && lastWord !== '-h' && lastWord !== undefined) return undefined;
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
  // A terminal is a character device. Node's own check of a terminal would take longer to load.
  const isPlain = NO_COLOR || CI || TERM === 'dumb' || STACKOPS_COLOR === 'never' || !fstatSync(1).isCharacterDevice();
  return isPlain ? page : page.replace(/^[A-Z][A-Za-z ,-]{0,40}:/gm, '\x1b[1m$&\x1b[22m');
}

/** Writes without `process.stdout`: Node takes longer to build that stream than to give the whole answer. */
function writeAnswer(answer: Buffer): void {
  let unwrittenBytes = answer;
  try {
    while (unwrittenBytes.length > 0) unwrittenBytes = unwrittenBytes.subarray(writeSync(1, unwrittenBytes));
  } catch (error) {
    // The reader of a pipe is slow. `process.stdout` waits for the reader; `writeSync` cannot wait.
    if (errorCodeOf(error) === 'EAGAIN') process.stdout.on('error', reportUnlessPipeClosed).write(unwrittenBytes);
    else reportUnlessPipeClosed(error);
  }
}

function reportUnlessPipeClosed(error: unknown): void {
  // A write to a closed pipe fails with EPIPE, on Windows with EOF.
  if (errorCodeOf(error) === 'EPIPE' || errorCodeOf(error) === 'EOF') return;
  process.exitCode = 1;
  process.stderr.write(`error: the output could not be written (${errorCodeOf(error)})\n`);
}

function errorCodeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : 'unknown';
}

function isNodeBefore(version: string): boolean {
  const runningVersion = process.versions.node.split('.').map(Number);
  const differences = version.split('.').map((part, at) => (runningVersion[at] ?? 0) - Number(part));
  return (differences.find((difference) => difference !== 0) ?? 0) < 0;
}
