import { closeSync, fchmodSync, fstatSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { cannotReadError, cannotUseError, faultCode } from './file-fault.ts';
import { ownUserId } from './identity.ts';
import { mebibyte, openNamedFile, readHandle, readSome } from './named-file.ts';
import { checkPrivateFolder, isForeign, isOpenToAll } from './private-folder.ts';

const largestOwnFile = 256 * mebibyte;

/** Options for private files: rights of others are removed, and `warn` reports it. */
export interface PrivacyOptions {
  readonly warn: (line: string) => void;
  /** For reading without repairing rights. */
  readonly keepsRights?: boolean;
  /** Called when others could have written the file. */
  readonly exposed?: () => void;
}

function checkLink(file: string): void {
  const target = realpathSync(file);
  for (const path of [target, dirname(target)]) {
    const found = statSync(path);
    const isSafe = !isForeign(found) && !isOpenToAll(found);
    if (!isSafe) throw cannotUseError(file, 'it is a link to a file that others can write');
  }
}

/** Throws usage unless an open file is regular and belongs to this user; then removes the rights of others. */
export function checkRights(file: string, handle: number, { warn, keepsRights, exposed }: PrivacyOptions): void {
  const found = fstatSync(handle);
  if (!found.isFile()) throw cannotUseError(file, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  if (ownUserId === undefined) return;
  if (found.uid !== ownUserId) throw cannotUseError(file, `it belongs to another user (${found.uid})`);
  const isWritable = (found.mode & 0o022) !== 0;
  if (isWritable) exposed?.();
  if ((found.mode & 0o077) === 0 || keepsRights) return;
  fchmodSync(handle, 0o600);
  warn(`${file} could be ${isWritable ? 'changed' : 'read'} by other users; its permissions are now 0600`);
}

function openOwnFile(file: string, privacy: PrivacyOptions): number | undefined {
  let handle: number | undefined;
  try {
    // Most missing files never existed, and an exception for each would be slow.
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (!found) return undefined;
    if (found.isSymbolicLink()) checkLink(file);
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

/** The text of a private file; undefined when missing. */
export function readOwnFile(file: string, privacy: PrivacyOptions): string | undefined {
  const handle = openOwnFile(file, privacy);
  if (handle === undefined) return undefined;
  try {
    return Buffer.from(readHandle(handle, file, largestOwnFile)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}

const chunkBytes = 256 * 1024;
const longestLineBytes = 1024 * 1024;
const keptBytes = 256;
const lineFeed = 0x0a;

/** The lines of one of our files, one at a time: a long file is never in memory. Throws usage. */
export function* readLines(file: string, privacy: PrivacyOptions): Generator<string, void, undefined> {
  const handle = openOwnFile(file, privacy);
  if (handle === undefined) return;
  try {
    let rest: Buffer<ArrayBuffer> = Buffer.alloc(0);
    const chunk = Buffer.alloc(chunkBytes);
    for (;;) {
      const length = readSome(handle, file, chunk) ?? 0;
      if (length === 0) break;
      const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      rest = bytes.subarray(start);
      // A longer line is not from this tool: its beginning stays, and a NUL keeps it from being read as JSON.
      if (rest.length > longestLineBytes) rest = Buffer.concat([rest.subarray(0, keptBytes), Buffer.alloc(1)]);
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(handle);
  }
}
