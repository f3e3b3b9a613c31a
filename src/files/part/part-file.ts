import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { shellWord } from '../../contract/values/shell-word.ts';
import { Problem } from '../../problems/problem.ts';
import { cannotWrite } from '../file-fault.ts';
import { ownUser } from '../identity.ts';
import { syncFolder } from '../sync-folder.ts';
import { giveName, type Replacing } from './give-name.ts';
import { claimPart, type PartClaim, type PartOrigin } from './part-claim.ts';

/** A file that gets its name only when it is complete. All methods throw a Problem (exit 1). */
export interface PartFile {
  /** The part left by an earlier download and its source; undefined for a new start. */
  readonly start: ({ readonly bytes: number } & PartOrigin) | undefined;
  /** Its size in bytes. */
  bytes(): number;
  /** Called before the first byte with the size and the source, if verifiable. Throws when the disk is too small. */
  expect(bytes: number | undefined, origin: PartOrigin | undefined): void;
  /** Whether a later download could continue it. */
  canContinue(): boolean;
  /** Discards its bytes. */
  restart(): void;
  /** Writes synchronously: a slow disk slows the sender. */
  write(chunk: Uint8Array): void;
  /** Syncs it to disk and gives it its name. */
  finish(): Promise<void>;
  /** Keeps it for a later download; `discard` then does nothing. */
  keep(): Promise<void>;
  /** Removes it; harmless after `finish`. */
  discard(): Promise<void>;
}

export interface PartOptions extends Replacing {
  /** Whether to continue an earlier download. */
  readonly resume?: boolean;
}

/**
 * Opens `<target>.part`, readable by us alone. What a download that was cut off left there is replaced, or continued;
 * anything else only by force, and a link, which could lead anywhere, never.
 */
export async function openPart(target: string, options: PartOptions): Promise<PartFile> {
  const part = `${target}.part`;
  const claim = guarded(part, () => claimPart(part));
  try {
    const { handle, start } = openClaimed(part, claim, options);
    return partFile({ target, part, handle, claim, start, force: options.force });
  } catch (error) {
    claim.release();
    throw cannotWrite(part, error);
  }
}

interface OpenPart extends Replacing {
  readonly target: string;
  readonly part: string;
  readonly handle: number;
  readonly claim: PartClaim;
  readonly start: PartFile['start'];
}

/** How often other machines see that we are alive; far below the maximum age of a lock. */
const refreshMs = 60_000;

function partFile(open: OpenPart): PartFile {
  return { start: open.start, ...contentOf(open), ...endsOf(open) };
}

function contentOf({ part, handle, claim, start }: OpenPart): Omit<PartFile, 'start' | keyof PartEnds> {
  let bytes = start?.bytes ?? 0;
  let noted: PartOrigin | undefined = start;
  let refreshedMs = performance.now();
  return {
    bytes: () => bytes,
    canContinue: () => noted !== undefined && bytes > 0 && bytes < noted.size,
    expect: (coming, origin) =>
      guarded(part, () => {
        if (coming !== undefined) checkSpace(part, coming);
        claim.note(origin);
        noted = origin;
      }),
    restart: () =>
      guarded(part, () => {
        ftruncateSync(handle);
        bytes = 0;
      }),
    write: (chunk) =>
      guarded(part, () => {
        for (let at = 0; at < chunk.byteLength; ) at += writeSync(handle, chunk, at);
        bytes += chunk.byteLength;
        if (performance.now() - refreshedMs < refreshMs) return;
        refreshedMs = performance.now();
        claim.refresh();
      }),
  };
}

type PartEnds = Pick<PartFile, 'finish' | 'keep' | 'discard'>;

function endsOf({ target, part, handle, claim, force }: OpenPart): PartEnds {
  let isOpen = true;
  let isOver = false;
  const close = (): void => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  };
  const complete = (): void => {
    fsyncSync(handle);
    close();
  };
  return {
    finish: async () => {
      guarded(target, complete);
      await giveName(part, target, { force }).catch((error: unknown) => {
        throw cannotWrite(target, error);
      });
      isOver = true;
      claim.release();
      syncFolder(dirname(target));
    },
    keep: async () => {
      guarded(part, complete);
      isOver = true;
      claim.leaveBehind();
    },
    discard: async () => {
      close();
      if (isOver) return;
      await rm(part, { force: true }).catch(() => undefined);
      claim.release();
    },
  };
}

function guarded<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotWrite(file, error);
  }
}

function openClaimed(
  part: string,
  claim: PartClaim,
  { force, resume = false }: PartOptions,
): Pick<OpenPart, 'handle' | 'start'> {
  const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
  const found = lstatSync(part, { throwIfNoEntry: false });
  if (found) {
    const isOurs = found.isFile() && (ownUser === undefined || found.uid === ownUser);
    if (!isOurs || !(claim.isTakenOver || force)) throw leftOver(part);
    // With a second hard link it could be any file of ours.
    const canContinue =
      resume && claim.isTakenOver && claim.origin && found.nlink === 1 && found.size < claim.origin.size;
    if (canContinue && claim.origin) {
      const handle = openSync(part, O_RDWR | O_APPEND | O_NOFOLLOW);
      claim.note(claim.origin);
      return { handle, start: { ...claim.origin, bytes: fstatSync(handle).size } };
    }
    rmSync(part);
  }
  return { handle: openSync(part, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600), start: undefined };
}

function checkSpace(part: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(part));
  if (bytes <= bavail * bsize) return;
  throw new Problem('internal', `cannot write ${part}: it needs ${bytes} bytes, but only ${bavail * bsize} are free`);
}

function leftOver(part: string): Problem {
  const message = `cannot write ${part}: it already exists; another download is running or was interrupted`;
  return new Problem('internal', message, { hint: `if no other download is running: rm ${shellWord(part)}` });
}
