import { closeSync, fsyncSync, openSync } from 'node:fs';

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
