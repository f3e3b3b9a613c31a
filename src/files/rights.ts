import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { CliError } from '../errors/cli-error.ts';
import { cannotReadError, cannotWriteError } from './file-fault.ts';
import { ownUserId } from './identity.ts';
import { foldersAbove } from './private-folder.ts';

/** The rights, and the owner if it is another user; undefined when missing. Throws usage when they cannot be read. */
export function rightsOf(path: string) {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return undefined;
    const { uid, mode } = found;
    const known = ownUserId !== undefined;
    return {
      isFolder: found.isDirectory(),
      // In the form chmod takes: `0755`.
      mode: (mode & 0o7777).toString(8).padStart(4, '0'),
      // A sticky folder, such as /tmp, is shared on purpose.
      isOpenToOthers: known && (mode & 0o1000) === 0 && (mode & 0o077) !== 0,
      otherOwner: known && uid !== ownUserId ? uid : undefined,
    };
  } catch (error) {
    throw cannotReadError(path, error);
  }
}

/** The reason why this user cannot create files in a folder, or the folder; undefined if it can. */
export function findWriteError(folder: string): CliError | undefined {
  const existing = [...foldersAbove(folder), folder].findLast((path) => existsSync(path)) ?? folder;
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return cannotWriteError(folder, error);
  }
}
