import { dirname } from 'node:path';
import { orCannotWrite } from '../file-fault.ts';
import { preparePrivateFolder } from '../private-folder.ts';
import { breakLeftOver, giveLockBack, holderOf, isLeftOver, processOf, renewLock, takeLock } from './lock-file.ts';

export type HeldLock = Exclude<ReturnType<typeof takeHeldLock>, string>;

/**
 * Takes the lock of a file without waiting, to be held as long as a run lasts, or returns who holds it: ` (process 4711 on
 * build-1)`. Throws internal.
 */
export function takeHeldLock(file: string) {
  const lock = `${file}.lock`;
  return orCannotWrite(lock, () => {
    preparePrivateFolder(dirname(file));
    const left = holderOf(lock);
    if (left && isLeftOver(left)) breakLeftOver(lock);
    const mark = takeLock(lock);
    if (mark === undefined) return processOf(holderOf(lock));
    // Renewed now and then: an old lock of another machine counts as left over.
    return { renew: () => renewLock(lock), release: () => giveLockBack(lock, mark) };
  });
}

/** The live holder of the lock of a file: ` (process 4711 on build-1)`. Undefined if the lock is free. */
export function lockHolder(file: string): string | undefined {
  const holder = holderOf(`${file}.lock`);
  return holder && !isLeftOver(holder) ? processOf(holder) : undefined;
}
