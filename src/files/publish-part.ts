import { closeSync, lstatSync } from 'node:fs';
import { link, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { cannotWriteError, faultCode, noFolderError, tryToWrite } from './file-fault.ts';
import { createFile, renameFile } from './replace-file.ts';

export interface ReplaceOptions {
  /** True to replace a regular file that has the target's name. Links, folders and devices are never replaced. */
  readonly force: boolean;
}

/** Throws `usage` if the folder of the target is missing, and `internal` if the name of the target is taken. */
export async function checkTargetFile(target: string, { force }: ReplaceOptions): Promise<void> {
  await checkFolder(dirname(target));
  const stats = tryToWrite(target, () => lstatSync(target, { throwIfNoEntry: false }));
  if (!stats) return;
  if (!stats.isFile()) throw unwritableError(target, 'it exists and is not a regular file');
  if (!force) throw fileExistsError(target);
}

/** Throws `usage` if the folder is missing, and `internal` if it is not a folder. */
export async function checkFolder(folder: string): Promise<void> {
  const stats = await stat(folder).catch((error: unknown) => {
    if (faultCode(error) === 'ENOENT') throw noFolderError(folder);
    throw cannotWriteError(folder, error);
  });
  if (!stats.isDirectory()) throw unwritableError(folder, 'it is not a folder');
}

/** Gives a complete part the name of its target. Throws `internal` if the name has been taken meanwhile. */
export async function publishPart(part: string, target: string, options: ReplaceOptions): Promise<void> {
  if (options.force) {
    await checkTargetFile(target, options);
    return renameFile(part, target);
  }
  // Unlike a rename, a hard link fails if the name is taken, so it overwrites nothing.
  const isLinked = await link(part, target).then(
    () => true,
    (error: unknown) => {
      if (faultCode(error) === 'EEXIST') throw fileExistsError(target);
      return false;
    },
  );
  if (isLinked) return unlink(part);
  // On file systems without hard links an empty file reserves the name.
  const handle = createFile(target);
  if (handle === undefined) throw fileExistsError(target);
  closeSync(handle);
  try {
    renameFile(part, target);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

function fileExistsError(target: string): CliError {
  return new CliError('internal', `cannot write ${target}: it already exists`, { correction: { add: ['--force'] } });
}

function unwritableError(path: string, reason: string): CliError {
  return new CliError('internal', `cannot write ${path}: ${reason}`);
}
