import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotWrite } from './file-fault.ts';
import { checkLink, checkRights, type Secrecy } from './own-file.ts';
import { preparePrivateFolder } from './private-folder.ts';

const lineFeed = 0x0a;

/**
 * Adds one line to a file that only we can read, and brings it to the disk; file and folders are made when they are
 * missing. One write at the end of the file, so that writers at the same time never mix their lines. Throws usage
 * for a file that is not ours alone, internal when it cannot be written.
 */
export function appendLine(file: string, line: string, secrecy: Secrecy): void {
  preparePrivateFolder(dirname(file));
  let handle: number | undefined;
  try {
    handle = openToAppend(file);
    checkRights(file, handle, secrecy);
    const { size } = fstatSync(handle);
    const bytes = Buffer.from(`${endsInLine(handle, size) ? '' : '\n'}${line}\n`, 'utf8');
    if (writeSync(handle, bytes) < bytes.length) throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
    fsyncSync(handle);
    if (size === 0) syncFolder(dirname(file));
  } catch (error) {
    throw cannotWrite(file, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

/** Without O_NONBLOCK a named pipe in this place would hang every change; a link that comes in between is refused. */
function openToAppend(file: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  if (isThere) checkLink(file);
  const more = isThere ? 0 : O_CREAT | O_NOFOLLOW;
  return openSync(file, O_RDWR | O_APPEND | O_NONBLOCK | more, 0o600);
}

/** What a power cut tore off must not swallow the next line. */
function endsInLine(handle: number, size: number): boolean {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  return readSync(handle, last, 0, 1, size - 1) === 1 && last[0] === lineFeed;
}

/** So that a new file's name outlives a power cut too; not every file system can. */
function syncFolder(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch {
    // The file itself is on the disk.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
