import { chmodSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cannotWrite, faultCode } from './file-fault.ts';
import { ownUser } from './identity.ts';

/**
 * Makes a folder that only we can enter, parents included. Folder by folder, because a recursive mkdir below
 * something that is no folder fails in ways that differ by platform. Throws a Problem (exit 1).
 */
export function preparePrivateFolder(folder: string): void {
  try {
    makeMissing(folder);
    tighten(folder);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
}

/** The same for a folder that is not ours alone: one that is there keeps its rights. */
export function prepareFolder(folder: string): void {
  try {
    makeMissing(folder);
  } catch (error) {
    throw cannotWrite(folder, error);
  }
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

/** A sticky folder, such as /tmp, is shared on purpose and stays as it is. */
function tighten(folder: string): void {
  const found = statSync(folder);
  if (!found.isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
  const ours = ownUser !== undefined && found.uid === ownUser;
  if (ours && (found.mode & 0o1000) === 0 && (found.mode & 0o077) !== 0) chmodSync(folder, 0o700);
}
