import {
  closeSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { cannotUseError, cannotWriteError, faultCode, noFolderError, tryToWrite } from './file-fault.ts';
import { ownPlatform, ownUserId } from './identity.ts';
import { irregularFileText, maxFileBytes, openNamedFile, readHandle } from './named-file.ts';
import { type PrivacyOptions, readOwnFile } from './own-file.ts';

interface ReplaceFileOptions {
  /** The content that `readReplaceableFile` returned. A file whose content is now different is not replaced. */
  readonly before?: Uint8Array | undefined;
  /** True for a file that only stackops writes. Its content is not compared, and a link is replaced, not its target. */
  readonly force?: true;
  /** The new file gets the permissions of the old file. Otherwise only this user can read the new file. */
  readonly keepsRights?: true;
}

/**
 * Writes a private file in one step; after an error the old file is unchanged. Throws `internal` if the new file cannot
 * be written and, without `force`, `rejected` if the old file was changed or another stackops is replacing it.
 */
export function replaceFile(path: string, content: string | Uint8Array, options: ReplaceFileOptions): void {
  const { before, force, keepsRights } = options;
  // The global `crypto` is used, because Node loads it on first use, but an import of `node:crypto` at every start.
  const newFile = `${path}.${force ? `tmp-${crypto.randomUUID()}` : 'stackops-new'}`;
  const handle = tryToWrite(path, () => createFile(newFile));
  if (handle === undefined) throw beingWrittenError(path, newFile);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
    if (force) refuseIrregularFile(path);
    else refuseChangedFile(path, before);
    const oldStats = keepsRights && lstatSync(path, { throwIfNoEntry: false });
    if (oldStats?.isFile()) fchmodSync(handle, oldStats.mode & 0o777);
    renameFile(newFile, path);
  } catch (error) {
    rmSync(newFile, { force: true });
    throw cannotWriteError(path, error);
  } finally {
    closeSync(handle);
  }
}

function beingWrittenError(path: string, newFile: string): CliError {
  return new CliError('rejected', `cannot write ${path}: another stackops is writing it`, {
    hint: `if no other stackops is running: rm ${shellWord(newFile)}`,
  });
}

function refuseIrregularFile(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats && !stats.isFile() && !stats.isSymbolicLink()) throw cannotUseError(path, 'it is not a regular file');
}

function refuseChangedFile(path: string, oldContent: Uint8Array | undefined): void {
  const content = readReplaceableFile(path);
  const isUnchanged = oldContent && content ? Buffer.compare(oldContent, content) === 0 : oldContent === content;
  if (!isUnchanged)
    throw new CliError('rejected', `${path} was changed meanwhile; nothing was written`, { correction: {} });
}

/** Returns the bytes of a file to replace; undefined if missing. Throws `usage` for a file that cannot be replaced. */
export function readReplaceableFile(path: string): Uint8Array | undefined {
  const opened = openNamedFile(path);
  try {
    const reason = opened && whyNotReplaceable(opened.stats);
    if (reason) throw new CliError('usage', `cannot write ${path}: ${reason}`);
    refuseLink(path);
    if (!opened && !statSync(dirname(path), { throwIfNoEntry: false })) throw noFolderError(dirname(path));
    return opened && readHandle(opened.handle, path, maxFileBytes);
  } finally {
    if (opened) closeSync(opened.handle);
  }
}

/** True if the group of a file or everybody may read the file. Always false on Windows. */
export function isReadByOthers(path: string): boolean {
  const { mode = 0 } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
  return ownUserId !== undefined && (mode & 0o044) !== 0;
}

function whyNotReplaceable(stats: Stats): string | undefined {
  if (!stats.isFile()) return irregularFileText(stats);
  const hasOtherOwner = ownUserId !== undefined && stats.uid !== ownUserId;
  return hasOtherOwner ? `it belongs to another user (${stats.uid})` : undefined;
}

function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  // Only the user knows whether the link or its target should be replaced.
  const target = realPathOf(path);
  const details = target === undefined ? {} : { correction: { replace: { word: path, by: [target] } } };
  throw new CliError('usage', `cannot write ${path}: it is a link`, details);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** Removes temporary files of killed processes, which may hold secrets. The caller must hold the lock of `file`. */
export function removeLeftoverFiles(file: string): void {
  tryToWrite(file, () => {
    for (const name of readdirSync(dirname(file))) {
      if (name.startsWith(`${basename(file)}.tmp-`)) rmSync(join(dirname(file), name), { force: true });
    }
  });
}

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Replaces a link by a file with the same text, so that a writer does not follow the link. Keeps any other file. */
export function replaceLink(file: string, privacy: PrivacyOptions): void {
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const text = readOwnFile(file, privacy);
  if (text === undefined) rmSync(file);
  else replaceFile(file, text, { force: true });
}

/** Creates a file that only this user can read, and returns its handle; undefined if the name is taken. */
export function createFile(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    if (faultCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** Maximum tries to rename on Windows, where a virus scanner may hold a file open. They take half a second in all. */
const maxRenameTries = 10;
/** The platform and the functions that `renameFile` uses by default. Tests pass replacements. */
const systemCalls = {
  platform: ownPlatform,
  rename: (from: string, to: string) => renameSync(from, to),
  pause: (): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  },
};

/** Renames a file over another file. Tries again on Windows, where a rename fails while a process reads either file. */
export function renameFile(from: string, to: string, { platform, rename, pause } = systemCalls): void {
  for (let triesLeft = platform === 'win32' ? maxRenameTries : 1; triesLeft > 0; triesLeft -= 1) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (triesLeft === 1 || !/^(EPERM|EACCES|EBUSY)$/.test(faultCode(error) ?? '')) throw error;
    }
    pause();
  }
}

/** Syncs a folder, so that the name of a new file survives a power failure. A failure is ignored. */
export function syncFolder(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch {
    // Not every file system can sync a folder. The operating system then writes the name of the file later.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
