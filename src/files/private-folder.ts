import { chmodSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { faultCode, tryToWrite } from './file-fault.ts';
import { ownUserId } from './identity.ts';

export interface FolderPrivacy {
  /** True to leave other users' permissions as they are. */
  readonly keepsRights?: boolean;
  /** Called if other users could have written to the folder or the file. */
  readonly onExposed?: () => void;
}

/**
 * Creates a private folder, parents one by one, because the error of a recursive mkdir below a file depends on the
 * platform. Throws `usage` if other users could replace the folder, and `internal` if it cannot be created.
 */
export function preparePrivateFolder(folder: string, { onExposed }: Pick<FolderPrivacy, 'onExposed'> = {}): void {
  tryToWrite(folder, () => {
    checkParents(folder);
    createMissingFolders(resolve(folder));
    if (removeRights(folder, 0o022)) onExposed?.();
    removeRights(folder, 0o055);
  });
}

/** Creates a folder and its parents like `preparePrivateFolder`, but an existing folder keeps its permissions. */
export function prepareFolder(folder: string): void {
  tryToWrite(folder, () => createMissingFolders(resolve(folder)));
}

/** Throws `usage` if others can replace it. If they can write: calls `onExposed`, ends that unless `keepsRights`. */
export function checkPrivateFolder(folder: string, { keepsRights = false, onExposed }: FolderPrivacy): void {
  checkParents(folder);
  if (removeRights(folder, 0o022, keepsRights)) onExposed?.();
}

/** Throws `usage` unless each parent folder belongs to this user or root, and no other user can rename files in it. */
export function checkParents(folder: string): void {
  const path = resolve(folder);
  const realPath = statOf(path) ? realpathSync.native(path) : path;
  for (const parent of new Set([...foldersAbove(path), ...foldersAbove(realPath)])) {
    const risk = findFolderRisk(parent);
    if (risk) throw unsafeFolderError(folder, risk.reason(parent), risk.hint);
  }
}

/** Returns the reason why other users could replace a file in this folder, and a hint; undefined if they cannot. */
export function findFolderRisk(path: string) {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const targetStats = stats?.isSymbolicLink() ? statOf(path) : stats;
  if (!stats || !targetStats) return undefined;
  const foreignStats = [stats, targetStats].find(hasForeignOwner);
  if (foreignStats) return { reason: (name: string) => `${name} belongs to another user (${foreignStats.uid})` };
  if (ownUserId === undefined || !isOpenToAll(targetStats)) return undefined;
  return { reason: (name: string) => `others can write to ${name}`, hint: `chmod o-w ${shellWord(path)}` };
}

export function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [] : [...foldersAbove(parent), parent];
}

/** True for a file or folder that belongs neither to this user nor to root. */
export function hasForeignOwner({ uid }: Stats): boolean {
  return ownUserId !== undefined && uid !== ownUserId && uid !== 0;
}

/** True if every user can write to a file, or rename files in a folder. False for a sticky folder such as `/tmp`. */
export function isOpenToAll({ mode }: Stats): boolean {
  return (mode & 0o1002) === 0o002;
}

function createMissingFolders(folder: string): void {
  if (statOf(folder) || dirname(folder) === folder) return;
  createMissingFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (faultCode(error) !== 'EEXIST') throw error;
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function removeRights(folder: string, rights: number, keepsRights = false): boolean {
  const stats = statSync(folder);
  if (!stats.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  if (ownUserId === undefined) return false;
  if (stats.uid !== ownUserId) throw unsafeFolderError(folder, `it belongs to another user (${stats.uid})`);
  // A sticky folder such as `/tmp` is shared on purpose, so it keeps its permissions.
  const isOpenToOthers = (stats.mode & 0o1000) === 0 && (stats.mode & rights) !== 0;
  if (isOpenToOthers && !keepsRights) chmodSync(folder, stats.mode & 0o7777 & ~rights);
  return isOpenToOthers;
}

function unsafeFolderError(folder: string, reason: string, hint?: string): CliError {
  return new CliError('usage', `cannot use ${folder}: ${reason}`, { hint });
}
