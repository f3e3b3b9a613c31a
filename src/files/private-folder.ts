import { chmodSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { faultCode, tryToWrite } from './file-fault.ts';
import { ownUserId } from './identity.ts';

/**
 * Makes a private folder and its parents, one by one: the error of a recursive mkdir below a file depends on the
 * platform. `exposed` is called as in `checkPrivateFolder`. Throws usage if other users could write into it or replace
 * it, internal if it cannot be made.
 */
export function preparePrivateFolder(folder: string, { exposed }: { readonly exposed?: () => void } = {}): void {
  tryToWrite(folder, () => {
    checkParents(folder);
    makeMissing(resolve(folder));
    if (tighten(folder, 0o022)) exposed?.();
    tighten(folder, 0o055);
  });
}

/** As `preparePrivateFolder`, for a folder that is not private: an existing one keeps its permissions. */
export function prepareFolder(folder: string): void {
  tryToWrite(folder, () => makeMissing(resolve(folder)));
}

/** Throws usage for a folder that others can change. A folder of this user is repaired, and `exposed` is called. */
export function checkPrivateFolder(
  folder: string,
  { keepsRights = false, exposed }: { readonly keepsRights?: boolean; readonly exposed?: () => void },
): void {
  checkParents(folder);
  if (tighten(folder, 0o022, keepsRights)) exposed?.();
}

/** Throws usage unless parent folders belong to us or root, and others can rename nothing in them, as in `/tmp`. */
export function checkParents(folder: string): void {
  const given = resolve(folder);
  const real = statOf(given) ? realpathSync.native(given) : given;
  for (const path of new Set([...foldersAbove(given), ...foldersAbove(real)])) {
    const { reason, hint } = findFolderRisk(path) ?? {};
    if (reason !== undefined) throw notOurs(folder, reason(path), hint);
  }
}

/** The reason why other users could replace a file in this folder; undefined if they cannot. */
export function findFolderRisk(path: string) {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const target = found?.isSymbolicLink() ? statOf(path) : found;
  if (!found || !target) return undefined;
  const foreign = [found, target].find(isForeign);
  if (foreign) return { reason: (name: string) => `${name} belongs to another user (${foreign.uid})` };
  if (ownUserId === undefined || !isOpenToAll(target)) return undefined;
  return { reason: (name: string) => `others can write to ${name}`, hint: `chmod o-w ${shellWord(path)}` };
}

export function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [] : [...foldersAbove(above), above];
}

/** True if it belongs to another user than this one and root. */
export function isForeign({ uid }: Stats): boolean {
  return ownUserId !== undefined && uid !== ownUserId && uid !== 0;
}

/** Others can put something in its place; in a sticky folder, such as `/tmp`, they cannot. */
export function isOpenToAll({ mode }: Stats): boolean {
  return (mode & 0o1002) === 0o002;
}

function makeMissing(folder: string): void {
  if (statOf(folder) || dirname(folder) === folder) return;
  makeMissing(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (faultCode(error) !== 'EEXIST') throw error;
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function tighten(folder: string, rights: number, keepsRights = false): boolean {
  const found = statSync(folder);
  if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  if (ownUserId === undefined) return false;
  if (found.uid !== ownUserId) throw notOurs(folder, `it belongs to another user (${found.uid})`);
  // A sticky folder such as /tmp is shared on purpose.
  const isOpen = (found.mode & 0o1000) === 0 && (found.mode & rights) !== 0;
  if (isOpen && !keepsRights) chmodSync(folder, found.mode & 0o7777 & ~rights);
  return isOpen;
}

function notOurs(folder: string, reason: string, hint?: string): CliError {
  return new CliError('usage', `cannot use ${folder}: ${reason}`, { ...(hint && { hint }) });
}
