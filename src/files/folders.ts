import { isAbsolute, join, sep } from 'node:path';
import { Problem } from '../problems/problem.ts';

/** Absolute folders of the tool. Each is determined on first use and throws usage when that fails. */
export interface Folders {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}
type Env = Readonly<Record<string, string | undefined>>;

/** XDG folders, `STACKOPS_CONFIG_DIR` first for the configuration; on Windows below APPDATA and LOCALAPPDATA. */
export function findFolders(env: Env, platform: string = sep === '\\' ? 'win32' : 'posix'): Folders {
  const windows = platform === 'win32';
  return {
    get config() {
      const own = env['STACKOPS_CONFIG_DIR'];
      if (own) return absoluteFolder('STACKOPS_CONFIG_DIR', own);
      return windows ? windowsFolder(env, 'APPDATA', 'config') : xdgFolder(env, 'XDG_CONFIG_HOME', '.config');
    },
    get state() {
      if (windows) return windowsFolder(env, 'LOCALAPPDATA', 'state');
      return xdgFolder(env, 'XDG_STATE_HOME', join('.local', 'state'));
    },
    get cache() {
      return windows ? windowsFolder(env, 'LOCALAPPDATA', 'cache') : xdgFolder(env, 'XDG_CACHE_HOME', '.cache');
    },
  };
}

const setFolder = 'export STACKOPS_CONFIG_DIR=/absolute/folder';

/** The XDG standard says to ignore a relative value. */
function xdgFolder(env: Env, variable: string, belowHome: string): string {
  const given = env[variable];
  return given && isAbsolute(given) ? join(given, 'stackops') : join(homeFolder(env), belowHome, 'stackops');
}

function windowsFolder(env: Env, variable: string, part: string): string {
  const given = env[variable];
  if (!given) throw noHome(`${variable} is not set`);
  return join(absoluteFolder(variable, given), 'stackops', part);
}

/** The state file of `--sandbox`. */
export function sandboxFile({ state }: Folders): string {
  return join(state, 'sandbox.json');
}

function homeFolder(env: Env): string {
  const home = env['HOME'];
  if (home === undefined) throw noHome('HOME is not set');
  if (home === '') throw noHome('HOME is empty');
  return absoluteFolder('HOME', home);
}

function absoluteFolder(variable: string, folder: string): string {
  if (isAbsolute(folder)) return folder;
  throw new Problem('usage', `${variable} must be an absolute path, not "${folder}"`, { hint: setFolder });
}

function noHome(reason: string): Problem {
  return new Problem('usage', `no folder for the files of stackops: ${reason}`, { hint: setFolder });
}
