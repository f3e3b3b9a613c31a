import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';
import { version } from '../../package.json';
import type { Environment } from './built.ts';
import { temporaryFolder } from './stackops.ts';

const root = join(import.meta.dirname, '../..');

/** What makes a release of an npm package. */
export async function artifactsMaker(): Promise<(options: object) => void> {
  return (await import(new URL('../../packaging/artifacts.mjs', import.meta.url).href)).makeArtifacts;
}

export interface Installed {
  /** The npm package of what `npm test` built. */
  readonly tarball: string;
  /** Where `npm install --global` put it. */
  readonly prefix: string;
  /** What npm needs to install it again. */
  readonly npm: Environment;
}

/** Packs the tool and installs it, without a network: once for all tests of a run, by the first that asks, in the folder of the run. */
export async function packed(): Promise<Installed> {
  const folder = join(tmpdir(), 'packed');
  const npm = {
    npm_config_prefix: join(folder, 'prefix'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
  const tool = { tarball: join(folder, `stackops-${version}.tgz`), prefix: npm.npm_config_prefix, npm };
  const fault = join(folder, 'fault');
  if (isFirst(folder)) writeFileSync(fault, await faultOf(pack(folder, tool)));
  // Only another process can be making it.
  await vi.waitFor(() => expect(existsSync(fault)).toBe(true), { timeout: 240_000 });
  expect(readFileSync(fault, 'utf8')).toBe('');
  return tool;
}

/** A package of the same name and version that is small: where it is installed, and not what is in it, is tested. */
export function smallPackage(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'package/bin'), { recursive: true });
  const manifest = { name: 'stackops', version, bin: { stackops: 'bin/stackops.js' } };
  writeFileSync(join(folder, 'package/package.json'), JSON.stringify(manifest));
  // A shell starts in a fortieth of the time of Node.
  const program = `#!/bin/sh\necho ${version}\n`;
  writeFileSync(join(folder, 'package/bin/stackops.js'), program, { mode: 0o755 });
  const tarball = join(folder, `stackops-${version}.tgz`);
  execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);
  return tarball;
}

function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

const faultOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => '',
    (error: unknown) => String(error),
  );

async function pack(folder: string, { tarball, npm }: Installed): Promise<void> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...npm };
  const run = (...words: string[]) => promisify(execFile)('npm', words, { cwd: root, env });
  await run('pack', '--ignore-scripts', '--pack-destination', folder);
  await run('install', '--global', '--ignore-scripts', tarball);
}
