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
import type { FileStart } from '../contract/exchange.ts';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { cannotWriteError, tryToWrite } from './file-fault.ts';
import { ownUserId } from './identity.ts';
import { breakLeftOver, forgetLock, giveLockBack, holderOf, isLeftOver, processText, takeLock } from './lock.ts';
import { publishPart, type ReplaceOptions } from './publish-part.ts';
import { syncFolder } from './replace-file.ts';

/** Required to continue a part later: the full size and the version of the file. */
export type PartOrigin = Omit<FileStart, 'bytes'>;

interface PartOptions extends ReplaceOptions {
  readonly resume?: boolean;
  /** Ends the verification of the earlier part. */
  readonly signal?: AbortSignal;
}

/** A file that gets its name only when it is complete. All methods throw a CliError (exit 1). */
export type PartFile = Awaited<ReturnType<typeof openPart>>;

/**
 * Opens `<target>.part`, readable only by this user. The part of an interrupted download is replaced or continued.
 * Another file is replaced only with `force`, and a link never.
 */
export async function openPart(target: string, options: PartOptions) {
  const part = `${target}.part`;
  const claim = tryToWrite(part, () => lockPart(part));
  try {
    const found = lstatSync(part, { throwIfNoEntry: false });
    if (found && !mayReplace(found, claim, options)) throw leftOver(part);
    const left = found && options.resume ? await readLeft(part, found, claim, options.signal) : undefined;
    if (found && !left) rmSync(part);
    // An earlier download left something that cannot be trusted, so this one starts again.
    const isUnverified = Boolean(options.resume && found?.size && !left);
    const opened = partFile({ target, part, claim, force: options.force, ...(left ?? create(part)) });
    return { ...opened, isUnverified };
  } catch (error) {
    if (claim.isTakenOver) claim.keepForResume();
    else claim.release();
    if (options.signal?.aborted) throw new CliError('interrupted', 'interrupted');
    throw cannotWriteError(part, error);
  }
}

/** The file as it was opened, and the running digest of the bytes in it. */
interface Content {
  readonly handle: number;
  readonly digest: Hash;
  readonly start: FileStart | undefined;
}

interface OpenPart extends ReplaceOptions, Content {
  readonly target: string;
  readonly part: string;
  readonly claim: PartClaim;
}

function partFile({ target, part, force, claim, handle, start, ...content }: OpenPart) {
  let { digest } = content;
  let origin: PartOrigin | undefined = start;
  let bytes = start?.bytes ?? 0;
  let isOpen = true;
  let isOver = false;
  const note = (): PartNote | undefined => origin && { ...origin, bytes, sha256: hexOf(digest) };
  const close = (): void => {
    if (isOpen) closeSync(handle);
    isOpen = false;
  };
  const complete = (): void => {
    fsyncSync(handle);
    close();
  };
  return {
    /** The part of an earlier download and its source; undefined for a new start. */
    start,
    bytes: () => bytes,
    /** Called before the first byte with the size and the source, if verifiable. Throws when the disk is too small. */
    expect(coming: number | undefined, from: PartOrigin | undefined): void {
      if (coming !== undefined) tryToWrite(part, () => checkSpace(part, coming));
      origin = from;
    },
    /** True when a later download can continue it: some bytes are missing, and the host can prove that they belong to it. */
    canContinue: () => origin !== undefined && bytes > 0 && bytes < origin.size,
    /** Discards its bytes. */
    restart(): void {
      tryToWrite(part, () => ftruncateSync(handle));
      bytes = 0;
      digest = createHash('sha256');
    },
    /** Writes synchronously: a slow disk slows the sender. */
    write(chunk: Uint8Array): void {
      tryToWrite(part, () => {
        for (let at = 0; at < chunk.byteLength; ) at += writeSync(handle, chunk, at);
        bytes += chunk.byteLength;
        if (origin) digest.update(chunk);
        claim.note(note);
      });
    },
    /** Syncs it to disk and gives it its name. */
    async finish(): Promise<void> {
      tryToWrite(target, complete);
      await publishPart(part, target, { force }).catch((error: unknown) => {
        throw cannotWriteError(target, error);
      });
      isOver = true;
      claim.release();
      syncFolder(dirname(target));
    },
    /** Keeps it for a later download; `discard` then does nothing. */
    keep(): void {
      tryToWrite(part, () => {
        complete();
        claim.keepForResume(note());
      });
      isOver = true;
    },
    /** Removes it; harmless after `finish`. */
    async discard(): Promise<void> {
      close();
      if (isOver) return;
      await rm(part, { force: true }).catch(() => undefined);
      claim.release();
    },
  };
}

function mayReplace(found: Stats, { isTakenOver }: PartClaim, { force }: PartOptions): boolean {
  const isOurs = found.isFile() && (ownUserId === undefined || found.uid === ownUserId);
  return isOurs && (isTakenOver || force);
}

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
const flags = O_RDWR | O_APPEND | O_NOFOLLOW;

function create(part: string): Content {
  return { handle: openSync(part, flags | O_CREAT | O_EXCL, 0o600), digest: createHash('sha256'), start: undefined };
}

async function readLeft(
  part: string,
  { nlink }: Stats,
  { noted, note }: PartClaim,
  signal: AbortSignal | undefined,
): Promise<Content | undefined> {
  // A file with a second hard link could be any file of this user.
  if (!noted || nlink !== 1) return undefined;
  const digest = createHash('sha256');
  for await (const chunk of createReadStream(part, { end: noted.bytes - 1, ...(signal && { signal }) })) {
    digest.update(chunk);
    note(() => noted);
  }
  if (hexOf(digest) !== noted.sha256) return undefined;
  const handle = openSync(part, flags);
  ftruncateSync(handle, noted.bytes);
  return { handle, digest, start: noted };
}

function hexOf(digest: Hash): string {
  // A copy, so that the digest can go on.
  return digest.copy().digest('hex');
}

function checkSpace(part: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(part));
  if (bytes <= bavail * bsize) return;
  throw new CliError('internal', `cannot write ${part}: it needs ${bytes} bytes, but only ${bavail * bsize} are free`);
}

function leftOver(part: string): CliError {
  const message = `cannot write ${part}: it already exists; another download is running or was interrupted`;
  return new CliError('internal', message, { hint: `if no other download is running: rm ${shellWord(part)}` });
}

/** The size of the part, and the source of the rest: enough to verify and continue it. */
interface PartNote extends FileStart {
  /** The hash of the bytes, in hex. */
  readonly sha256: string;
}

type PartClaim = ReturnType<typeof lockPart>;

/** Far below the maximum age of a lock. */
const noteMs = 5000;

function lockPart(part: string) {
  // The hash keeps the name short, however long the name of the part is.
  const name = hash('sha256', basename(part)).slice(0, 16);
  const lock = join(dirname(part), `.stackops-${name}.lock`);
  const before = holderOf(lock);
  const noted = before && readNote(lock);
  if (before && isLeftOver(before)) breakLeftOver(lock);
  const mark = takeLock(lock);
  if (mark === undefined)
    throw new CliError('internal', `cannot write ${part}: another download of it is running${processText(before)}`);
  const handle = openSync(lock, 'a');
  const write = (note: PartNote | undefined) => writeSync(handle, `${JSON.stringify(note ?? null)}\n`);
  if (noted) write(noted);
  let notedMs = Number.NEGATIVE_INFINITY;
  return {
    /** After an interrupted download: only then this run is known to own the part. */
    isTakenOver: before !== undefined,
    /** The last note of that download, if its source can be verified. */
    noted,
    /** Every few seconds, so that a killed download loses little. Other machines see by it that the process is alive. */
    note: (now: () => PartNote | undefined) => {
      if (performance.now() - notedMs < noteMs) return;
      write(now());
      notedMs = performance.now();
    },
    release: () => {
      closeSync(handle);
      try {
        giveLockBack(lock, mark);
      } catch {
        // The next download finds it left over.
      }
    },
    /** Ends the right and keeps the last note, or this one, for the next download. */
    keepForResume: (note?: PartNote) => {
      if (note) write(note);
      closeSync(handle);
      forgetLock(mark);
    },
  };
}

function readNote(lock: string): PartNote | undefined {
  const [, ...lines] = readFileSync(lock, 'utf8').trimEnd().split('\n');
  try {
    // The last line counts: an earlier one tells of fewer bytes, or of another file.
    const { size, validator, bytes, sha256 } = JSON.parse(lines.at(-1) ?? '') as Partial<PartNote>;
    if (typeof size !== 'number' || typeof validator !== 'string' || typeof sha256 !== 'string') return undefined;
    return typeof bytes === 'number' && bytes > 0 && bytes < size ? { size, validator, bytes, sha256 } : undefined;
  } catch {
    return undefined;
  }
}
