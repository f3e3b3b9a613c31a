import { writeSync } from 'node:fs';
import { type FileHandle, link, lstat, open, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Problem } from '../problems/problem.ts';
import { cannotWrite, faultCode, quoted } from './file-fault.ts';

/** A file that has its name only when it is complete. All methods throw a Problem (exit 1). */
export interface PartFile {
  /** At once: a disk that is slow holds the sender back. */
  write(chunk: Uint8Array): void;
  /** Brings it to the disk and gives it its name. */
  finish(): Promise<void>;
  /** Removes it; harmless after `finish`. */
  discard(): Promise<void>;
}

export interface Replacing {
  /** Whether a regular file of that name may be replaced; links, folders and devices never are. */
  readonly force: boolean;
}

/** Throws a Problem when a file could not be put there: for lack of a folder, or because something is there. */
export async function checkTarget(target: string, { force }: Replacing): Promise<void> {
  await checkFolder(dirname(target));
  const found = await lstat(target).catch((error: unknown) => {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotWrite(target, error);
  });
  if (!found) return;
  if (!found.isFile()) throw refused(target, 'it exists and is not a regular file');
  if (!force) throw exists(target);
}

/** Opens `<target>.part`, readable by us alone; it must not exist, so no link is followed and no other writer joined. */
export async function openPart(target: string, replacing: Replacing): Promise<PartFile> {
  const part = `${target}.part`;
  const handle = await open(part, 'wx', 0o600).catch((error: unknown) => {
    throw faultCode(error) === 'EEXIST' ? leftOver(part) : cannotWrite(part, error);
  });
  const guarded = async (file: string, work: () => Promise<void>): Promise<void> => {
    await work().catch((error: unknown) => {
      throw cannotWrite(file, error);
    });
  };
  let named = false;
  return {
    write: (chunk) => {
      try {
        for (let at = 0; at < chunk.byteLength; ) at += writeSync(handle.fd, chunk, at);
      } catch (error) {
        throw cannotWrite(part, error);
      }
    },
    finish: () =>
      guarded(target, async () => {
        await handle.sync();
        await handle.close();
        await giveName(part, target, replacing);
        named = true;
        await syncFolder(dirname(target));
      }),
    discard: async () => {
      await closeQuietly(handle);
      if (!named) await rm(part, { force: true }).catch(() => undefined);
    },
  };
}

async function checkFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: unknown) => {
    if (faultCode(error) === 'ENOENT') throw refused(folder, 'there is no such folder');
    throw cannotWrite(folder, error);
  });
  if (!found.isDirectory()) throw refused(folder, 'it is not a folder');
}

async function giveName(part: string, target: string, replacing: Replacing): Promise<void> {
  if (replacing.force) {
    await checkTarget(target, replacing);
    return rename(part, target);
  }
  // Unlike a rename, a second name is refused where something has that name.
  const isLinked = await link(part, target).then(
    () => true,
    (error: unknown) => {
      if (faultCode(error) === 'EEXIST') throw exists(target);
      return false;
    },
  );
  if (isLinked) return unlink(part);
  await claim(target);
  await rename(part, target).catch(async (error: unknown) => {
    await rm(target, { force: true });
    throw error;
  });
}

/** For file systems without second names: an empty file of ours takes the name first. */
async function claim(target: string): Promise<void> {
  const handle = await open(target, 'wx', 0o600).catch((error: unknown) => {
    throw faultCode(error) === 'EEXIST' ? exists(target) : error;
  });
  await handle.close();
}

/** So that the name outlives a power cut too; not every file system can. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function closeQuietly(handle: FileHandle): Promise<void> {
  await handle.close().catch(() => undefined);
}

function exists(target: string): Problem {
  return new Problem('internal', `cannot write ${target}: it exists, and it was left as it is`, {
    retry: { with: ['--force'] },
  });
}

function refused(path: string, reason: string): Problem {
  return new Problem('internal', `cannot write ${path}: ${reason}`);
}

function leftOver(part: string): Problem {
  const message = `cannot write ${part}: it exists; another download is under way, or one was cut off`;
  return new Problem('internal', message, { hint: `when no other is under way: rm ${quoted(part)}` });
}
