import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Runs a program; a failure shows its stderr. */
export function run(program, words, { cwd, env } = {}) {
  const options = { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync(program, words, options);
}

export function read(program, ...words) {
  return execFileSync(program, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd();
}

export function hasProgram(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}

/** A temporary folder that is deleted after the work. */
export function inTemporaryFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'stackops-release-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
