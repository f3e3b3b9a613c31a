import { closeSync } from 'node:fs';
import { link, lstat, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { cannotWriteError, faultCode, noFolderError } from './file-fault.ts';
import { createFile, renameFile } from './replace-file.ts';

export interface ReplaceOptions {
  /** Replaces a regular file of that name; links, folders and devices are never replaced. */
  readonly force: boolean;
}

/** Throws a CliError if the file could not be saved there: the folder is missing or the name is taken. */
export async function checkTarget(target: string, { force }: ReplaceOptions): Promise<void> {
  await checkFolder(dirname(target));
  const found = await lstat(target).catch((error: unknown) => {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotWriteError(target, error);
  });
  if (!found) return;
  if (!found.isFile()) throw writeError(target, 'it exists and is not a regular file');
  if (!force) throw exists(target);
}

/** Throws usage for a missing folder. */
export async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    if (faultCode(error) === 'ENOENT') throw noFolderError(folder);
    throw cannotWriteError(folder, error);
  });
  if (!found.isDirectory()) throw writeError(folder, 'it is not a folder');
}

/** Gives a complete file its name; throws like `checkTarget` if the name is taken by now. */
export async function publishPart(part: string, target: string, replacing: ReplaceOptions): Promise<void> {
  if (replacing.force) {
    await checkTarget(target, replacing);
    return renameFile(part, target);
  }
  // Unlike a rename, a hard link fails if the name is taken.
  const isLinked = await link(part, target).then(
    () => true,
    (error: unknown) => {
      if (faultCode(error) === 'EEXIST') throw exists(target);
      return false;
    },
  );
  if (isLinked) return unlink(part);
  // On file systems without hard links an empty file reserves the name.
  const handle = createFile(target);
  if (handle === undefined) throw exists(target);
  closeSync(handle);
  try {
    renameFile(part, target);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

function exists(target: string): CliError {
  return new CliError('internal', `cannot write ${target}: it already exists`, { correction: { add: ['--force'] } });
}

function writeError(path: string, reason: string): CliError {
  return new CliError('internal', `cannot write ${path}: ${reason}`);
}
