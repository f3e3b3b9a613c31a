import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cannotWriteError } from './file-fault.ts';
import { withLock } from './lock.ts';
import { checkRights, type PrivacyOptions } from './own-file.ts';
import { preparePrivateFolder } from './private-folder.ts';
import { replaceFile, replaceLink, syncFolder } from './replace-file.ts';

const lineFeed = 0x0a;

/** One write, so processes never mix lines; syncs it. Throws `usage` for an unsafe path, `internal` if not written. */
export async function appendLine(file: string, line: string, privacy: PrivacyOptions): Promise<void> {
  let handle: number | undefined;
  try {
    preparePrivateFolder(dirname(file), privacy);
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
      await withLock(file, () => replaceLink(file, privacy), privacy);
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    // If the file is a named pipe, opening it without O_NONBLOCK would wait forever.
    handle = openSync(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
    checkRights(file, handle, privacy);
    const { size: foundSize } = fstatSync(handle);
    // A power failure may have cut off the last line. Without a line feed there, the new line would continue that line.
    const isCutOff = !endsWithLineFeed(handle, foundSize) && (await isStillSize(handle, foundSize));
    const { size } = fstatSync(handle);
    writeText(handle, size, `${isCutOff ? '\n' : ''}${line}\n`);
    fsyncSync(handle);
    if (size === 0) syncFolder(dirname(file));
  } catch (error) {
    throw cannotWriteError(file, error);
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function endsWithLineFeed(handle: number, size: number): boolean {
  const lastByte = Buffer.alloc(1);
  return size === 0 || (readSync(handle, lastByte, 0, 1, size - 1) === 1 && lastByte[0] === lineFeed);
}

/** Time in which another process completes a write of which a part is visible. */
const writeMs = 50;

async function isStillSize(handle: number, size: number): Promise<boolean> {
  await pause(writeMs);
  return fstatSync(handle).size === size;
}

function writeText(handle: number, size: number, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  const writtenBytes = writeSync(handle, bytes);
  if (writtenBytes === bytes.length) return;
  // The disk is full, so the partial line is removed, unless another process has appended to it.
  if (fstatSync(handle).size === size + writtenBytes) ftruncateSync(handle, size);
  throw Object.assign(new Error('short write'), { code: 'ENOSPC' });
}

/** If a log has at least `mostBytes` bytes, removes its oldest lines, so that at most half of `mostBytes` remains. */
export function dropOldestLines(log: string, mostBytes: number): void {
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) < mostBytes) return;
  const newestBytes = readFileSync(log).subarray(-mostBytes / 2);
  replaceFile(log, newestBytes.subarray(newestBytes.indexOf(lineFeed) + 1), { force: true });
}
