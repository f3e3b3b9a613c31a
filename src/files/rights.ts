import { accessSync, constants, existsSync, statSync } from 'node:fs';
import type { CliError } from '../errors/cli-error.ts';
import { cannotReadError, cannotWriteError } from './file-fault.ts';
import { ownUserId } from './identity.ts';
import { foldersAbove } from './private-folder.ts';

/** Returns the permissions of a file or folder, and the owner if it is another user; undefined if missing. */
export function rightsOf(path: string) {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const { uid, mode } = stats;
    const hasUserIds = ownUserId !== undefined;
    return {
      isFolder: stats.isDirectory(),
      // The permissions in octal digits, as chmod takes them: `0755`.
      mode: (mode & 0o7777).toString(8).padStart(4, '0'),
      // A sticky folder such as `/tmp` is shared on purpose, so it does not count as open to others.
      isOpenToOthers: hasUserIds && (mode & 0o1000) === 0 && (mode & 0o077) !== 0,
      otherOwner: hasUserIds && uid !== ownUserId ? uid : undefined,
    };
  } catch (error) {
    throw cannotReadError(path, error);
  }
}

/** Returns an error if this user cannot create files in a folder, or cannot create the folder; undefined otherwise. */
export function findWriteError(folder: string): CliError | undefined {
  const existingFolder = [...foldersAbove(folder), folder].findLast((path) => existsSync(path)) ?? folder;
  try {
    accessSync(existingFolder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return cannotWriteError(folder, error);
  }
}
