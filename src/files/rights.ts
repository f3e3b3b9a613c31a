import { statSync } from 'node:fs';
import { cannotRead } from './file-fault.ts';
import { ownUser } from './identity.ts';

/** Who may do what with a file or folder. */
export interface Rights {
  readonly isFolder: boolean;
  /** As chmod takes them: `0755`. */
  readonly mode: string;
  readonly isOpenToOthers: boolean;
  /** The number of another user who owns it. */
  readonly otherOwner: number | undefined;
}

/** Looks and changes nothing; undefined when there is no such thing. Throws usage when that cannot be told. */
export function rightsOf(path: string): Rights | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found) return undefined;
    const { uid, mode } = found;
    const known = ownUser !== undefined;
    return {
      isFolder: found.isDirectory(),
      mode: (mode & 0o7777).toString(8).padStart(4, '0'),
      // A sticky folder, such as /tmp, is shared on purpose.
      isOpenToOthers: known && (mode & 0o1000) === 0 && (mode & 0o077) !== 0,
      otherOwner: known && uid !== ownUser ? uid : undefined,
    };
  } catch (error) {
    throw cannotRead(path, error);
  }
}
