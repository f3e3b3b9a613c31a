import { join, posix, win32 } from 'node:path';
import type { Environment } from '../contract/host.ts';
import { CliError } from '../errors/cli-error.ts';

/** The absolute folders of stackops. Reading a field throws `usage` if the environment sets no usable folder. */
export type Folders = Readonly<Record<'config' | 'state' | 'cache', string>>;
/** Finds the XDG folders; on Windows, folders below APPDATA and LOCALAPPDATA. STACKOPS_CONFIG_DIR sets `config`. */
export function findFolders(env: Environment, platform: string): Folders {
  const findFolder = platform.startsWith('win32') ? windowsFolder : xdgFolder;
  return {
    get config() {
      const folder = env['STACKOPS_CONFIG_DIR'];
      return folder ? absoluteFolder('STACKOPS_CONFIG_DIR', folder, platform) : findFolder(env, 'config');
    },
    get state() {
      return findFolder(env, 'state');
    },
    get cache() {
      return findFolder(env, 'cache');
    },
  };
}

const foldersBelowHome = { config: '.config', state: '.local/state', cache: '.cache' };

function xdgFolder(env: Environment, part: keyof Folders): string {
  const xdgHome = env[`XDG_${part.toUpperCase()}_HOME`] ?? '';
  // The XDG standard says to ignore a relative value.
  const base = posix.isAbsolute(xdgHome) ? xdgHome : posix.join(homeFolder(env), foldersBelowHome[part]);
  return posix.join(base, 'stackops');
}

function windowsFolder(env: Environment, part: keyof Folders): string {
  const variable = part === 'config' ? 'APPDATA' : 'LOCALAPPDATA';
  const base = env[variable];
  if (!base) throw noHomeError(`${variable} is not set`, 'win32');
  return `${absoluteFolder(variable, base, 'win32')}\\stackops\\${part}`;
}

export function sandboxFile({ state }: Folders): string {
  return join(state, 'sandbox.json');
}

function homeFolder(env: Environment): string {
  const home = env['HOME'];
  if (!home) throw noHomeError(home === '' ? 'HOME is empty' : 'HOME is not set', 'posix');
  return absoluteFolder('HOME', home, 'posix');
}

function absoluteFolder(variable: string, folder: string, platform: string): string {
  if ((platform.startsWith('win32') ? win32 : posix).isAbsolute(folder)) return folder;
  const message = `${variable} must be an absolute path, not "${folder}"`;
  throw new CliError('usage', message, { hint: setFolderCommand(platform) });
}

function noHomeError(reason: string, platform: string): CliError {
  return new CliError('usage', `no folder for the files of stackops: ${reason}`, { hint: setFolderCommand(platform) });
}

function setFolderCommand(platform: string): string {
  if (platform.startsWith('win32')) return "$env:STACKOPS_CONFIG_DIR = 'C:\\absolute\\folder'";
  return 'export STACKOPS_CONFIG_DIR=/absolute/folder';
}
