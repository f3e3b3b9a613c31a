import { createHash, type Hash, hash } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  rmSync,
  type Stats,
  statfsSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DownloadedPart } from '../contract/exchange.ts';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { cannotWriteError, tryToWrite } from './file-fault.ts';
import { ownUserId } from './identity.ts';
import {
  abandonLock,
  breakLeftOverLock,
  holderOf,
  isLeftOverLock,
  processText,
  releaseLock,
  takeLock,
} from './lock.ts';
import { publishPart, type ReplaceOptions } from './publish-part.ts';
import { syncFolder } from './replace-file.ts';

/** The full size of a file, and the validator of its version. Without them a part of the file cannot be continued. */
type PartOrigin = Omit<DownloadedPart, 'bytes'>;

interface PartOptions extends ReplaceOptions {
  readonly resume?: boolean;
  /** Aborted to stop verifying the part that an earlier download left. */
  readonly signal?: AbortSignal;
}

/** A file that gets its name only when it is complete. A method that fails throws a CliError. */
export type PartFile = Awaited<ReturnType<typeof openPart>>;

/**
 * Opens `<target>.part`, readable only by this user. The part of an interrupted download is continued with
 * `resume`, else replaced. Any other file of that name is replaced only with `force`, and a link is never replaced.
 */
export async function openPart(target: string, options: PartOptions) {
  const part = `${target}.part`;
  const { force, resume, signal } = options;
  const lock = tryToWrite(part, () => lockPart(part));
  try {
    const stats = lstatSync(part, { throwIfNoEntry: false });
    if (stats && !mayReplacePart(stats, lock, force)) throw partExistsError(part);
    const leftPart = stats && resume ? await reopenPart(part, stats, lock, signal) : undefined;
    if (stats && !leftPart) rmSync(part);
    // True if an earlier download left bytes that cannot be verified, so the download starts again.
    const isUnverified = Boolean(resume && stats?.size && !leftPart);
    return { ...createPartFile({ target, part, lock, force, ...(leftPart ?? createPart(part)) }), isUnverified };
  } catch (error) {
    if (lock.isTakenOver) lock.keepForResume();
    else lock.release();
    if (signal?.aborted) throw new CliError('interrupted', 'interrupted');
    throw cannotWriteError(part, error);
  }
}

type OpenedPart = { readonly handle: number; readonly digest: Hash; readonly start: DownloadedPart | undefined };

interface PartFileOptions extends ReplaceOptions, OpenedPart {
  readonly target: string;
  readonly part: string;
  readonly lock: PartLock;
}

function createPartFile({ target, part, force, lock, handle, start, ...opened }: PartFileOptions) {
  let { digest } = opened;
  let origin: PartOrigin | undefined = start;
  let bytes = start?.bytes ?? 0;
  let isHandleOpen = true;
  let isSettled = false;
  const createNote = (): PartNote | undefined => origin && { ...origin, bytes, sha256: hexDigest(digest) };
  const close = (): void => {
    if (isHandleOpen) closeSync(handle);
    isHandleOpen = false;
  };
  const syncAndClose = (): void => {
    fsyncSync(handle);
    close();
  };
  return {
    /** The number of bytes that an earlier download left, and their source; undefined for a new start. */
    start,
    bytes: () => bytes,
    /** Call before `write`. With no `source` it cannot be continued. Throws `internal` if the disk is too full. */
    begin(expectedBytes: number | undefined, source: PartOrigin | undefined): void {
      if (expectedBytes !== undefined) tryToWrite(part, () => checkDiskSpace(part, expectedBytes));
      origin = source;
    },
    /** True if a later download can continue the part: bytes are missing, and their source can be verified. */
    canContinue: () => origin !== undefined && bytes > 0 && bytes < origin.size,
    restart(): void {
      tryToWrite(part, () => ftruncateSync(handle));
      bytes = 0;
      digest = createHash('sha256');
    },
    /** Writes synchronously, so a slow disk slows down the sender. */
    write(chunk: Uint8Array): void {
      tryToWrite(part, () => {
        for (let offset = 0; offset < chunk.byteLength; ) offset += writeSync(handle, chunk, offset);
        bytes += chunk.byteLength;
        if (origin) digest.update(chunk);
        lock.note(createNote);
      });
    },
    /** Syncs the part to disk and gives it the name of the target. */
    async finish(): Promise<void> {
      tryToWrite(target, syncAndClose);
      await publishPart(part, target, { force }).catch((error: unknown) => {
        throw cannotWriteError(target, error);
      });
      isSettled = true;
      lock.release();
      syncFolder(dirname(target));
    },
    /** Keeps the part for a later download. After that, `discard` does nothing. */
    keep(): void {
      tryToWrite(part, () => {
        syncAndClose();
        lock.keepForResume(createNote());
      });
      isSettled = true;
    },
    /** Removes the part. Does nothing after `finish` or `keep`. */
    async discard(): Promise<void> {
      close();
      if (isSettled) return;
      await rm(part, { force: true }).catch(() => undefined);
      lock.release();
    },
  };
}

function mayReplacePart(stats: Stats, { isTakenOver }: PartLock, force: boolean): boolean {
  const isOwnFile = stats.isFile() && (ownUserId === undefined || stats.uid === ownUserId);
  return isOwnFile && (isTakenOver || force);
}

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
const openFlags = O_RDWR | O_APPEND | O_NOFOLLOW;

function createPart(part: string): OpenedPart {
  const handle = openSync(part, openFlags | O_CREAT | O_EXCL, 0o600);
  return { handle, digest: createHash('sha256'), start: undefined };
}

async function reopenPart(
  part: string,
  { nlink }: Stats,
  { lastNote, note }: PartLock,
  signal: AbortSignal | undefined,
): Promise<OpenedPart | undefined> {
  // A file with a second hard link could be any file of this user, so it is not written to.
  if (!lastNote || nlink !== 1) return undefined;
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(part, { end: lastNote.bytes - 1, ...(signal && { signal }) })) {
    digest.update(chunk);
    note(() => lastNote);
  }
  if (hexDigest(digest) !== lastNote.sha256) return undefined;
  const handle = openSync(part, openFlags);
  ftruncateSync(handle, lastNote.bytes);
  return { handle, digest, start: lastNote };
}

function hexDigest(digest: Hash): string {
  // A copy of the digest is read, because a digest takes no more bytes once it has been read.
  return digest.copy().digest('hex');
}

function checkDiskSpace(part: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(part));
  if (bytes <= bavail * bsize) return;
  throw new CliError('internal', `cannot write ${part}: it needs ${bytes} bytes, but only ${bavail * bsize} are free`);
}

function partExistsError(part: string): CliError {
  const message = `cannot write ${part}: it already exists; another download is running or was interrupted`;
  return new CliError('internal', message, { hint: `if no other download is running: rm ${shellWord(part)}` });
}

/** The bytes in a part and their source, as noted in the lock file: enough to verify and continue the part. */
interface PartNote extends DownloadedPart {
  /** The hash of the downloaded bytes, in hex. */
  readonly sha256: string;
}

type PartLock = ReturnType<typeof lockPart>;

/** Time between two notes in the lock file, far below the maximum age of a lock. */
const noteIntervalMs = 5000;

function lockPart(part: string) {
  // The hash keeps the name short, however long the name of the part is.
  const nameHash = hash('sha256', basename(part)).slice(0, 16);
  const lockFile = join(dirname(part), `.stackops-${nameHash}.lock`);
  const oldHolder = holderOf(lockFile);
  const lastNote = oldHolder && readNote(lockFile);
  if (oldHolder && isLeftOverLock(oldHolder)) breakLeftOverLock(lockFile);
  const mark = takeLock(lockFile);
  if (mark === undefined)
    throw new CliError('internal', `cannot write ${part}: another download of it is running${processText(oldHolder)}`);
  const handle = openSync(lockFile, 'a');
  const writeNote = (note: PartNote | undefined) => writeSync(handle, `${JSON.stringify(note ?? null)}\n`);
  if (lastNote) writeNote(lastNote);
  let lastNoteMs = Number.NEGATIVE_INFINITY;
  return {
    /** True after an interrupted download, whose lock file shows that the part is from stackops. */
    isTakenOver: oldHolder !== undefined,
    /** The last note of the interrupted download; undefined if its part cannot be verified. */
    lastNote,
    /** Writes a note every few seconds, so that a killed download loses little, and the lock never looks old. */
    note: (now: () => PartNote | undefined) => {
      if (performance.now() - lastNoteMs < noteIntervalMs) return;
      writeNote(now());
      lastNoteMs = performance.now();
    },
    release: () => {
      closeSync(handle);
      try {
        releaseLock(lockFile, mark);
      } catch {
        // The lock file stays, and the next download removes it as left over.
      }
    },
    /** Gives up the lock. The next download finds `note`, or the last written note without `note`. */
    keepForResume: (note?: PartNote) => {
      if (note) writeNote(note);
      closeSync(handle);
      abandonLock(mark);
    },
  };
}

function readNote(lockFile: string): PartNote | undefined {
  const [, ...lines] = readFileSync(lockFile, 'utf8').trimEnd().split('\n');
  try {
    // Only the last line counts: an earlier line is about fewer bytes, or about another file.
    const { size, validator, bytes, sha256 } = JSON.parse(lines.at(-1) ?? '') as Partial<PartNote>;
    if (typeof size !== 'number' || typeof validator !== 'string' || typeof sha256 !== 'string') return undefined;
    return typeof bytes === 'number' && bytes > 0 && bytes < size ? { size, validator, bytes, sha256 } : undefined;
  } catch {
    return undefined;
  }
}
