import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Problem } from '../problems/problem.ts';
import { cannotRead, cannotUse, faultCode } from './file-fault.ts';
import { ownUser } from './identity.ts';
import { checkPrivateFolder } from './private-folder.ts';

/** For files that are ours alone: others' rights are taken away, and `warn` says so. */
export interface Secrecy {
  readonly warn: (line: string) => void;
  /** For a look that changes nothing. */
  readonly keepsRights?: boolean;
}

/** A link is followed only to where nobody but us (or root) can put something else. Throws usage for any other. */
function checkLink(file: string): void {
  if (!lstatSync(file).isSymbolicLink()) return;
  const target = realpathSync(file);
  for (const path of [target, dirname(target)]) {
    const { uid, mode } = statSync(path);
    const trusted = ownUser === undefined || uid === ownUser || uid === 0;
    if (!trusted || (mode & 0o1002) === 0o002) throw cannotUse(file, 'it is a link to a file that others can write');
  }
}

/** Throws usage unless an open file is a regular one and ours; then others lose their rights. */
export function checkRights(file: string, handle: number, { warn, keepsRights }: Secrecy): void {
  const found = fstatSync(handle);
  if (!found.isFile()) throw cannotUse(file, found.isDirectory() ? 'it is a folder' : 'it is not a regular file');
  if (ownUser === undefined) return;
  if (found.uid !== ownUser) throw cannotUse(file, `it belongs to another user (${found.uid})`);
  if ((found.mode & 0o077) === 0 || keepsRights) return;
  fchmodSync(handle, 0o600);
  warn(`${file} could be read by other users; its permissions are now 0600`);
}

/** Opens a file of ours, in a folder of ours, for reading; undefined when there is none. Throws usage for any other. */
export function openOwnFile(file: string, secrecy: Secrecy): number | undefined {
  let handle: number | undefined;
  try {
    checkLink(file);
    checkPrivateFolder(dirname(file), secrecy);
    // Without O_NONBLOCK a named pipe in this place would hang every command.
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

/** The text of such a file; undefined when there is none. */
export function readOwnFile(file: string, secrecy: Secrecy): string | undefined {
  const handle = openOwnFile(file, secrecy);
  if (handle === undefined) return undefined;
  try {
    return readFileSync(handle, 'utf8');
  } catch (error) {
    throw cannotRead(file, error);
  } finally {
    closeSync(handle);
  }
}
