import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../problems/problem.ts';
import { cannotRead, cannotUse, faultCode } from './file-fault.ts';
import { ownUser } from './identity.ts';
import { mebibyte, readHandle } from './named-file.ts';
import { checkPrivateFolder } from './private-folder.ts';

const largestOwnFile = 256 * mebibyte;

/** Options for private files: rights of others are removed, and `warn` reports it. */
export interface Secrecy {
  readonly warn: (line: string) => void;
  /** For reading without repairing rights. */
  readonly keepsRights?: boolean;
  /** Called when others could have written the file. */
  readonly exposed?: () => void;
}

/** A link is followed only if nobody else (but root) can change its target. Throws usage otherwise. */
function checkLink(file: string): void {
  if (!lstatSync(file).isSymbolicLink()) return;
  const target = realpathSync(file);
  for (const path of [target, dirname(target)]) {
    const { uid, mode } = statSync(path);
    const trusted = ownUser === undefined || uid === ownUser || uid === 0;
    if (!trusted || (mode & 0o1002) === 0o002) throw cannotUse(file, 'it is a link to a file that others can write');
  }
}

/** Throws usage unless an open file is regular and ours; then removes the rights of others. */
export function checkRights(file: string, handle: number, { warn, keepsRights, exposed }: Secrecy): void {
  const found = fstatSync(handle);
  if (!found.isFile()) throw cannotUse(file, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  if (ownUser === undefined) return;
  if (found.uid !== ownUser) throw cannotUse(file, `it belongs to another user (${found.uid})`);
  const isWritable = (found.mode & 0o022) !== 0;
  if (isWritable) exposed?.();
  if ((found.mode & 0o077) === 0 || keepsRights) return;
  fchmodSync(handle, 0o600);
  warn(`${file} could be ${isWritable ? 'changed' : 'read'} by other users; its permissions are now 0600`);
}

/** Opens one of our files in one of our folders for reading; undefined when missing. Throws usage for any other. */
export function openOwnFile(file: string, secrecy: Secrecy): number | undefined {
  let handle: number | undefined;
  try {
    checkLink(file);
    checkPrivateFolder(dirname(file), secrecy);
    // Without O_NONBLOCK a named pipe with this name would hang every command.
    handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    checkRights(file, handle, secrecy);
    return handle;
  } catch (error) {
    if (handle !== undefined) closeSync(handle);
    if (error instanceof Problem) throw error;
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotRead(file, error);
  }
}

/** The text of such a file; undefined when missing. */
export function readOwnFile(file: string, secrecy: Secrecy): string | undefined {
  const handle = openOwnFile(file, secrecy);
  if (handle === undefined) return undefined;
  try {
    return Buffer.from(readHandle(handle, file, largestOwnFile)).toString('utf8');
  } finally {
    closeSync(handle);
  }
}
