import { closeSync, fchmodSync, fstatSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotReadError, cannotUseError, faultCode } from './file-fault.ts';
import { ownUserId } from './identity.ts';
import { mebibyte, openNamedFile, readHandle, readIntoBuffer } from './named-file.ts';
import { checkPrivateFolder, type FolderPrivacy, hasForeignOwner, isOpenToAll } from './private-folder.ts';

const maxOwnFileBytes = 256 * mebibyte;

/** Options for private files. Other users' permissions on such a file are removed, and `warn` receives a message. */
export interface PrivacyOptions extends FolderPrivacy {
  readonly warn: (line: string) => void;
}

function checkLinkTarget(file: string): void {
  const target = realpathSync(file);
  for (const path of [target, dirname(target)]) {
    const stats = statSync(path);
    if (hasForeignOwner(stats) || isOpenToAll(stats))
      throw cannotUseError(file, 'it is a link to a file that others can write');
  }
}

/** Throws `usage` unless an open file is regular and belongs to this user. Removes other users' permissions on it. */
export function checkRights(file: string, handle: number, { warn, keepsRights, onExposed }: PrivacyOptions): void {
  const stats = fstatSync(handle);
  if (!stats.isFile()) throw cannotUseError(file, stats.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  if (ownUserId === undefined) return;
  if (stats.uid !== ownUserId) throw cannotUseError(file, `it belongs to another user (${stats.uid})`);
  const isWritableByOthers = (stats.mode & 0o022) !== 0;
  if (isWritableByOthers) onExposed?.();
  if ((stats.mode & 0o077) === 0 || keepsRights) return;
  fchmodSync(handle, 0o600);
  warn(`${file} could be ${isWritableByOthers ? 'changed' : 'read'} by other users; its permissions are now 0600`);
}

function openOwnFile(file: string, privacy: PrivacyOptions): number | undefined {
  let handle: number | undefined;
  try {
    // The file is often missing, and catching an exception of `openSync` would be slower than this check.
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isSymbolicLink()) checkLinkTarget(file);
    checkPrivateFolder(dirname(file), privacy);
    handle = openNamedFile(file)?.handle;
    if (handle !== undefined) checkRights(file, handle, privacy);
    return handle;
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotReadError(file, error);
  }
}

export function readOwnFile(file: string, privacy: PrivacyOptions): string | undefined {
  const handle = openOwnFile(file, privacy);
  if (handle === undefined) return undefined;
  try {
    return Buffer.from(readHandle(handle, file, maxOwnFileBytes)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}

const chunkBytes = 256 * 1024;
const maxLineBytes = 1024 * 1024;
const keptLineBytes = 256;
const lineFeed = 0x0a;

/** Yields the lines of a private file one by one; none if it is missing. A long file is never whole in memory. */
export function* readLines(file: string, privacy: PrivacyOptions): Generator<string, void, undefined> {
  const handle = openOwnFile(file, privacy);
  if (handle === undefined) return;
  try {
    let rest: Buffer<ArrayBuffer> = Buffer.alloc(0);
    const chunk = Buffer.alloc(chunkBytes);
    for (;;) {
      const length = readIntoBuffer(handle, file, chunk) ?? 0;
      if (length === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      rest = bytes.subarray(start);
      // Stackops writes no line this long. Only its beginning is kept, and a NUL after it makes it invalid JSON.
      if (rest.length > maxLineBytes) rest = Buffer.concat([rest.subarray(0, keptLineBytes), Buffer.alloc(1)]);
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(handle);
  }
}
