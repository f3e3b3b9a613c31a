import { join, posix, win32 } from 'node:path';
import { CliError } from '../errors/cli-error.ts';

/** Absolute folders of the tool. Each is determined on first use and throws usage when that fails. */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}
type Env = Readonly<Record<string, string | undefined>>;

/** XDG folders, `STACKOPS_CONFIG_DIR` first for the configuration; on Windows below APPDATA and LOCALAPPDATA. */
export function findFolders(env: Env, platform: string): Folders {
  const find = platform.startsWith('win32') ? windowsFolder : xdgFolder;
  return {
    get config() {
      const own = env['STACKOPS_CONFIG_DIR'];
      return own ? absoluteFolder('STACKOPS_CONFIG_DIR', own, platform) : find(env, 'config');
    },
    get state() {
      return find(env, 'state');
    },
    get cache() {
      return find(env, 'cache');
    },
  };
}

const belowHome = { config: '.config', state: '.local/state', cache: '.cache' };

function xdgFolder(env: Env, part: keyof Folders): string {
  const given = env[`XDG_${part.toUpperCase()}_HOME`] ?? '';
  // The XDG standard says to ignore a relative value.
  const base = posix.isAbsolute(given) ? given : posix.join(homeFolder(env), belowHome[part]);
  return posix.join(base, 'stackops');
}

function windowsFolder(env: Env, part: keyof Folders): string {
  const variable = part === 'config' ? 'APPDATA' : 'LOCALAPPDATA';
  const given = env[variable];
  if (!given) throw noHome(`${variable} is not set`, 'win32');
  return `${absoluteFolder(variable, given, 'win32')}\\stackops\\${part}`;
}

/** The state file of `--sandbox`. */
export function sandboxFile({ state }: Folders): string {
  return join(state, 'sandbox.json');
}

function homeFolder(env: Env): string {
  const home = env['HOME'];
  if (!home) throw noHome(home === '' ? 'HOME is empty' : 'HOME is not set', 'posix');
  return absoluteFolder('HOME', home, 'posix');
}

function absoluteFolder(variable: string, folder: string, platform: string): string {
  if ((platform.startsWith('win32') ? win32 : posix).isAbsolute(folder)) return folder;
  const message = `${variable} must be an absolute path, not "${folder}"`;
  throw new CliError('usage', message, { hint: setFolder(platform) });
}

function noHome(reason: string, platform: string): CliError {
  return new CliError('usage', `no folder for the files of stackops: ${reason}`, { hint: setFolder(platform) });
}

function setFolder(platform: string): string {
  if (platform.startsWith('win32')) return "$env:STACKOPS_CONFIG_DIR = 'C:\\absolute\\folder'";
  return 'export STACKOPS_CONFIG_DIR=/absolute/folder';
}
