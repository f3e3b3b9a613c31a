import { lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, sep } from 'node:path';

export interface CompileCacheOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The effective user ID; undefined on Windows. */
  readonly user: number | undefined;
}

/**
 * Lets Node 22.8 and newer store the compiled program in our cache folder: a list takes a tenth less CPU time. Imports
 * no other file, because that would be loaded before the cache. Never fails: the program works without it.
 */
export function enableCompileCache({ env, user }: CompileCacheOptions): void {
  const enable: unknown = Reflect.get(require('node:module'), 'enableCompileCache');
  const folder = cacheFolder(env);
  if (typeof enable !== 'function' || !folder) return;
  try {
    makeMissing(folder, user);
    if (isPrivate(folder, user)) enable(folder);
  } catch {
    // A missing or read-only home folder, for example.
  }
}

/** As in `findFolders`, which throws where this returns undefined. */
function cacheFolder(env: CompileCacheOptions['env']): string | undefined {
  const { XDG_CACHE_HOME: caches = '', HOME: home = '', LOCALAPPDATA: local = '' } = env;
  if (sep === '\\') return isAbsolute(local) ? join(local, 'stackops', 'cache', 'code') : undefined;
  if (isAbsolute(caches)) return join(caches, 'stackops', 'code');
  return isAbsolute(home) ? join(home, '.cache', 'stackops', 'code') : undefined;
}

/** Folder by folder: below `/proc` a recursive mkdir never returns. */
function makeMissing(folder: string, user: number | undefined): void {
  if (statSync(folder, { throwIfNoEntry: false })) return;
  const parent = dirname(folder);
  makeMissing(parent, user);
  // With `sudo`, a folder in another user's home would lock its owner out.
  if (user === undefined || isSafe(parent, user)) mkdirSync(folder, { mode: 0o700 });
}

/** A user who can write to the folder, or replace it, can run code as this user. */
function isPrivate(folder: string, user: number | undefined): boolean {
  if (user === undefined) return true;
  const paths = [...parentsOf(folder), ...parentsOf(realpathSync(folder))];
  return (statSync(folder).mode & 0o077) === 0 && [folder, ...paths].every((path) => isSafe(path, user));
}

function parentsOf(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [parent, ...parentsOf(parent)];
}

/**
 * True if the folder, and a link to it, belong to this user or root. Others may write only where they cannot rename, as
 * in `/tmp`.
 */
function isSafe(path: string, user: number): boolean {
  const { uid, mode } = statSync(path);
  const owners = [uid, lstatSync(path).uid];
  return owners.every((owner) => owner === user || owner === 0) && (mode & 0o1002) !== 0o002;
}
