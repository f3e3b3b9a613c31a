import { closeSync, fsyncSync, openSync } from 'node:fs';

/** So that the name of a new file outlives a power cut too; not every file system can, and the file itself is on the disk. */
export function syncFolder(folder: string): void {
  let handle: number | undefined;
  try {
    handle = openSync(folder, 'r');
    fsyncSync(handle);
  } catch {
    // The name comes to the disk when the system writes it.
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}
