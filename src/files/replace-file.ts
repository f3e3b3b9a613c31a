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
import { irregularFileText, largestFileBytes, openNamedFile, readHandle } from './named-file.ts';
import { type PrivacyOptions, readOwnFile } from './own-file.ts';

interface Replacement {
  /** The content that `readReplaceable` returned. A file with other content is not replaced: an error. */
  readonly before?: Uint8Array | undefined;
  /** Replaces any regular file, or a link and never its target: for a file that only stackops writes. */
  readonly force?: true;
  /** Others may read the new file if they could read the old one. */
  readonly keepsRights?: true;
}

/**
 * Replaces a file by a private one in one step. Throws internal when it cannot be written, and without `force` rejected
 * when the file was changed meanwhile or another stackops is writing it. The old file stays after any error.
 */
export function replaceFile(
  path: string,
  content: string | Uint8Array,
  { before, force, keepsRights }: Replacement,
): void {
  // The global crypto is loaded here. Imported from `node:crypto`, it would be loaded at every start.
  const fresh = `${path}.${force ? `tmp-${crypto.randomUUID()}` : 'stackops-new'}`;
  const handle = tryToWrite(path, () => createFile(fresh));
  if (handle === undefined) throw beingWritten(path, fresh);
  try {
    writeFileSync(handle, content);
    fsyncSync(handle);
    if (force) refuseIrregular(path);
    else refuseChanged(path, before);
    const old = keepsRights && lstatSync(path, { throwIfNoEntry: false });
    if (old?.isFile()) fchmodSync(handle, old.mode & 0o777);
    renameFile(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw cannotWriteError(path, error);
  } finally {
    closeSync(handle);
  }
}

function beingWritten(path: string, fresh: string): CliError {
  return new CliError('rejected', `cannot write ${path}: another stackops is writing it`, {
    hint: `if no other stackops is running: rm ${shellWord(fresh)}`,
  });
}

function refuseIrregular(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile() && !found.isSymbolicLink()) throw cannotUseError(path, 'it is not a regular file');
}

function refuseChanged(path: string, before: Uint8Array | undefined): void {
  const now = readReplaceable(path);
  const isSame = before && now ? Buffer.compare(before, now) === 0 : before === now;
  if (!isSame) throw new CliError('rejected', `${path} was changed meanwhile; nothing was written`, { correction: {} });
}

/** The bytes of a file for `replaceFile`, undefined when missing. Throws usage for a link, a file of another user and a missing folder. */
export function readReplaceable(path: string): Uint8Array | undefined {
  const opened = openNamedFile(path);
  try {
    const reason = opened && whyKept(opened.stats);
    if (reason) throw new CliError('usage', `cannot write ${path}: ${reason}`);
    refuseLink(path);
    if (!opened && !statSync(dirname(path), { throwIfNoEntry: false })) throw noFolderError(dirname(path));
    return opened && readHandle(opened.handle, path, largestFileBytes);
  } finally {
    if (opened) closeSync(opened.handle);
  }
}

/** True for a file that its group or everybody may read; nothing is known of one on Windows. */
export function isReadByOthers(path: string): boolean {
  const { mode = 0 } = lstatSync(path, { throwIfNoEntry: false }) ?? {};
  return ownUserId !== undefined && (mode & 0o044) !== 0;
}

function whyKept(stats: Stats): string | undefined {
  if (!stats.isFile()) return irregularFileText(stats);
  const isForeign = ownUserId !== undefined && stats.uid !== ownUserId;
  return isForeign ? `it belongs to another user (${stats.uid})` : undefined;
}

function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  // Only the operator knows if the link or its target is meant.
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

/** Removes temporary files of killed writers, which may hold secrets. The caller's lock keeps others from writing. */
export function removeLeftovers(file: string): void {
  tryToWrite(file, () => {
    for (const name of readdirSync(dirname(file))) {
      if (name.startsWith(`${basename(file)}.tmp-`)) rmSync(join(dirname(file), name), { force: true });
    }
  });
}

/** Does nothing for a file that is missing. */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Replaces a link by a file with the same text, before a writer would follow it. */
export function replaceLink(file: string, privacy: PrivacyOptions): void {
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (!isLink) return;
  const text = readOwnFile(file, privacy);
  if (text === undefined) rmSync(file);
  else replaceFile(file, text, { force: true });
}

/** Opens a file that only we can read, and that was not there; undefined where the name is taken. Throws the system error. */
export function createFile(file: string): number | undefined {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (error) {
    if (faultCode(error) === 'EEXIST') return undefined;
    throw error;
  }
}

/** A virus scanner may hold a new file open. All tries together take half a second. */
const mostTries = 10;
/** The defaults; tests replace them. */
const defaults = {
  platform: ownPlatform,
  rename: (from: string, to: string) => renameSync(from, to),
  pause: (): void => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  },
};

/** Renames a file over another one. Windows refuses this while another process reads either of them. */
export function renameFile(from: string, to: string, { platform, rename, pause } = defaults): void {
  for (let tries = platform === 'win32' ? mostTries : 1; tries > 0; tries -= 1) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (tries === 1 || !/^(EPERM|EACCES|EBUSY)$/.test(faultCode(error) ?? '')) throw error;
    }
    pause();
  }
}

/** Makes the name of a new file survive a power failure. Not every file system can, but the file itself is on disk. */
export function syncFolder(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch {
    // The system writes the name later.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
