import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const profileScript = fileURLToPath(new URL('profile.cjs', import.meta.url));

/** Functions that both commands use are used by most reads or writes. */
export const reads = ['stack list', 'variant list'];
export const writes = ['stack env set LOG_LEVEL=debug', 'variant weight canary 20 -y'];

/**
 * Runs commands of a built program, with `sandboxed` in the sandbox. Returns the files that each loaded, and with
 * `calls` the positions of the functions that it called: `[{ file: [12, 345] }]`.
 */
export function profileRuns(program, lines, { sandboxed = false, calls = false } = {}) {
  return inTemporaryBuildFolder(async (folder) => {
    const around = sandboxed ? [program, 'sandbox', 'run', '--', process.execPath] : [];
    const words = [profileScript, calls ? 'calls' : 'loads', folder, program, ...lines];
    const env = { PATH: process.env.PATH, HOME: folder, STACKOPS_STACK: 'shop' };
    await promisify(execFile)(process.execPath, [...around, ...words], { env });
    return JSON.parse(readFileSync(join(folder, 'runs.json'), 'utf8'));
  });
}

/** A temporary folder for the results of a build. */
export async function inTemporaryBuildFolder(work) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stackops-build-')));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
