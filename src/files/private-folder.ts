import { chmodSync, lstatSync, mkdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { shellWord } from '../contract/values/shell-word.ts';
import { Problem } from '../problems/problem.ts';
import { cannotWrite, faultCode } from './file-fault.ts';
import { ownUser } from './identity.ts';

/**
 * Makes a folder that only we can enter, parents included. Folder by folder, because a recursive mkdir below
 * something that is no folder fails in ways that differ by platform. `exposed` is called as in `checkPrivateFolder`.
 * Throws usage where somebody else could put something into it or another one in its place, internal when it cannot be made.
 */
export function preparePrivateFolder(folder: string, { exposed }: { readonly exposed?: () => void } = {}): void {
  try {
    checkParents(folder);
    makeMissing(folder);
    if (tighten(folder, 0o022)) exposed?.();
    tighten(folder, 0o055);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

/** The same for a folder that is not private: an existing one keeps its rights. */
export function prepareFolder(folder: string): void {
  try {
    makeMissing(folder);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

/**
 * Throws usage for a folder that others can change; wrong rights on our own folder are repaired, and `exposed` is called:
 * others could have put one of its files there.
 */
export function checkPrivateFolder(
  folder: string,
  { keepsRights = false, exposed }: { readonly keepsRights?: boolean; readonly exposed?: () => void },
): void {
  checkParents(folder);
  if (tighten(folder, 0o022, keepsRights)) exposed?.();
}

/** Parent folders must belong to us or root, and others may write only where they cannot rename: in `/tmp`. */
export function checkParents(folder: string): void {
  if (ownUser === undefined) return;
  const given = foldersAbove(resolve(folder));
  const real = foldersAbove(realPathOf(resolve(folder)));
  for (const path of new Set([...given, ...real])) {
    for (const found of [lstatSync(path), statSync(path)]) {
      if (found.uid !== ownUser && found.uid !== 0)
        throw notOurs(folder, `${path} belongs to another user (${found.uid})`);
    }
    if (isOpenToAll(statSync(path)))
      throw notOurs(folder, `others can write to ${path}`, `chmod o-w ${shellWord(path)}`);
  }
}

/** The existing ones, from the root down. */
function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  if (above === folder) return [];
  return [...foldersAbove(above), ...(statOf(above) ? [above] : [])];
}

function realPathOf(folder: string): string {
  return statOf(folder) ? realpathSync(folder) : folder;
}

function isOpenToAll({ mode }: Stats): boolean {
  return (mode & 0o1002) === 0o002;
}

function makeMissing(folder: string): void {
  for (const path of missingFolders(resolve(folder))) makeFolder(path);
}

function missingFolders(folder: string): readonly string[] {
  const missing: string[] = [];
  let path = folder;
  while (statOf(path) === undefined && dirname(path) !== path) {
    missing.unshift(path);
    path = dirname(path);
  }
  return missing;
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (faultCode(error) !== 'EEXIST') throw error;
  }
}

/** Removes those rights of others; true where they had any. A sticky folder such as /tmp is shared on purpose. */
function tighten(folder: string, rights: number, keepsRights = false): boolean {
  const found = statSync(folder);
  if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  if (ownUser === undefined) return false;
  if (found.uid !== ownUser) throw notOurs(folder, `it belongs to another user (${found.uid})`);
  const isOpen = (found.mode & 0o1000) === 0 && (found.mode & rights) !== 0;
  if (isOpen && !keepsRights) chmodSync(folder, found.mode & 0o7777 & ~rights);
  return isOpen;
}

function notOurs(folder: string, reason: string, hint?: string): Problem {
  return new Problem('usage', `cannot use ${folder}: ${reason}`, { ...(hint && { hint }) });
}
