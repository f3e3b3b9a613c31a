import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  type Stats,
  statfsSync,
  writeSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FileStart } from '../../contract/exchange.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { Problem } from '../../problems/problem.ts';
import { cannotWrite, orCannotWrite } from '../file-fault.ts';
import { ownUser } from '../identity.ts';
import { syncFolder } from '../sync-folder.ts';
import { giveName, type Replacing } from './give-name.ts';
import { claimPart, type PartClaim, type PartNote } from './part-claim.ts';

/** What a later download needs to continue a part: the full size and the version of the file. */
export type PartOrigin = Omit<FileStart, 'bytes'>;

interface PartOptions extends Replacing {
  /** Whether to continue an earlier download. */
  readonly resume?: boolean;
  /** Ends the verification of what it left. */
  readonly signal?: AbortSignal;
}

/**
 * Opens `<target>.part`, readable by us alone. What a download that was cut off left there is replaced, or continued;
 * anything else only by force, and a link, which could lead anywhere, never.
 */
export async function openPart(target: string, options: PartOptions): Promise<PartFile> {
  const part = `${target}.part`;
  const claim = orCannotWrite(part, () => claimPart(part));
  try {
    const found = lstatSync(part, { throwIfNoEntry: false });
    if (found && !mayReplace(found, claim, options)) throw leftOver(part);
    const left = found && options.resume ? await readLeft(part, found, claim, options.signal) : undefined;
    if (found && !left) rmSync(part);
    const isUnverified = Boolean(options.resume && found?.size && !left);
    return new PartFile({ target, part, claim, force: options.force, isUnverified, ...(left ?? create(part)) });
  } catch (error) {
    if (claim.isTakenOver) claim.leaveBehind();
    else claim.release();
    if (options.signal?.aborted) throw new Problem('interrupted', 'interrupted');
    throw cannotWrite(part, error);
  }
}

/** The file as it was opened, and the running digest of the bytes in it. */
interface Content {
  readonly handle: number;
  readonly digest: Hash;
  readonly start: FileStart | undefined;
}

interface OpenPart extends Replacing, Content {
  readonly target: string;
  readonly part: string;
  readonly claim: PartClaim;
  readonly isUnverified: boolean;
}

/** A file that gets its name only when it is complete. All methods throw a Problem (exit 1). */
export class PartFile {
  /** The part left by an earlier download and its source; undefined for a new start. */
  readonly start: FileStart | undefined;
  /** Whether an earlier download left something that cannot be trusted, so that this one starts again. */
  readonly isUnverified: boolean;
  readonly #open: OpenPart;
  #bytes: number;
  #origin: PartOrigin | undefined;
  #digest: Hash;
  #isOpen = true;
  #isOver = false;

  constructor(open: OpenPart) {
    this.start = open.start;
    this.isUnverified = open.isUnverified;
    this.#open = open;
    this.#bytes = open.start?.bytes ?? 0;
    this.#origin = open.start;
    this.#digest = open.digest;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Called before the first byte with the size and the source, if verifiable. Throws when the disk is too small. */
  expect(coming: number | undefined, origin: PartOrigin | undefined): void {
    if (coming !== undefined) orCannotWrite(this.#open.part, () => checkSpace(this.#open.part, coming));
    this.#origin = origin;
  }

  /** Whether a later download could continue it: some bytes are missing, and the host can prove that they belong to it. */
  canContinue(): boolean {
    return this.#origin !== undefined && this.#bytes > 0 && this.#bytes < this.#origin.size;
  }

  /** Discards its bytes. */
  restart(): void {
    orCannotWrite(this.#open.part, () => ftruncateSync(this.#open.handle));
    this.#bytes = 0;
    this.#digest = createHash('sha256');
  }

  /** Writes synchronously: a slow disk slows the sender. */
  write(chunk: Uint8Array): void {
    const { part, handle, claim } = this.#open;
    orCannotWrite(part, () => {
      for (let at = 0; at < chunk.byteLength; ) at += writeSync(handle, chunk, at);
      this.#bytes += chunk.byteLength;
      if (this.#origin) this.#digest.update(chunk);
      claim.note(() => this.#note());
    });
  }

  /** Syncs it to disk and gives it its name. */
  async finish(): Promise<void> {
    const { target, part, force, claim } = this.#open;
    orCannotWrite(target, () => this.#complete());
    await giveName(part, target, { force }).catch((error: unknown) => {
      throw cannotWrite(target, error);
    });
    this.#isOver = true;
    claim.release();
    syncFolder(dirname(target));
  }

  /** Keeps it for a later download; `discard` then does nothing. */
  keep(): void {
    const { part, claim } = this.#open;
    orCannotWrite(part, () => {
      this.#complete();
      claim.leaveBehind(this.#note());
    });
    this.#isOver = true;
  }

  /** Removes it; harmless after `finish`. */
  async discard(): Promise<void> {
    this.#close();
    if (this.#isOver) return;
    await rm(this.#open.part, { force: true }).catch(() => undefined);
    this.#open.claim.release();
  }

  #note(): PartNote | undefined {
    return this.#origin && { ...this.#origin, bytes: this.#bytes, sha256: hexOf(this.#digest) };
  }

  #complete(): void {
    fsyncSync(this.#open.handle);
    this.#close();
  }

  #close(): void {
    if (this.#isOpen) closeSync(this.#open.handle);
    this.#isOpen = false;
  }
}

function mayReplace(found: Stats, { isTakenOver }: PartClaim, { force }: PartOptions): boolean {
  const isOurs = found.isFile() && (ownUser === undefined || found.uid === ownUser);
  return isOurs && (isTakenOver || force);
}

const { O_RDWR, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;
const flags = O_RDWR | O_APPEND | O_NOFOLLOW;

function create(part: string): Content {
  return { handle: openSync(part, flags | O_CREAT | O_EXCL, 0o600), digest: createHash('sha256'), start: undefined };
}

/** What was noted of the part, verified, without what came after the note; undefined where it holds something else. */
async function readLeft(
  part: string,
  { nlink }: Stats,
  { noted, note }: PartClaim,
  signal: AbortSignal | undefined,
): Promise<Content | undefined> {
  // With a second hard link it could be any file of ours.
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
  throw new Problem('internal', `cannot write ${part}: it needs ${bytes} bytes, but only ${bavail * bsize} are free`);
}

function leftOver(part: string): Problem {
  const message = `cannot write ${part}: it already exists; another download is running or was interrupted`;
  return new Problem('internal', message, { hint: `if no other download is running: rm ${shellWord(part)}` });
}
