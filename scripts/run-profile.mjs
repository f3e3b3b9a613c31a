import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const inTurn = fileURLToPath(new URL('profile.cjs', import.meta.url));

/** Most commands of a kind load, and call, what both of these do. */
export const reads = ['stack list', 'variant list'];
export const writes = ['stack env set LOG_LEVEL=debug', 'variant weight canary 20 -y'];

/**
 * Runs commands of a built program, in the sandbox if they are `sandboxed`. Tells of each which files it loaded, and if
 * `calls` are wanted, where the functions begin that it called: `[{ file: [12, 345] }]`.
 */
export function runInTurn(program, lines, { sandboxed = false, calls = false } = {}) {
  return inBuildFolder(async (folder) => {
    const around = sandboxed ? [program, 'sandbox', 'run', '--', process.execPath] : [];
    const words = [inTurn, calls ? 'calls' : 'loads', folder, program, ...lines];
    const env = { PATH: process.env.PATH, HOME: folder, STACKOPS_STACK: 'shop' };
    await promisify(execFile)(process.execPath, [...around, ...words], { env });
    return JSON.parse(readFileSync(join(folder, 'runs.json'), 'utf8'));
  });
}

/** A folder for what a build finds out. */
export async function inBuildFolder(work) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stackops-build-')));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
