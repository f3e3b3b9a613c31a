import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { shellWord } from '../contract/values/shell-word.ts';
import { CliError, interrupted } from '../errors/cli-error.ts';
import { createFile } from './create-file.ts';
import { cannotRead, cannotWrite, faultCode, orCannotWrite } from './file-fault.ts';
import { ownUser } from './identity.ts';
import { renameFile } from './rename.ts';

export const mebibyte = 1024 * 1024;
/** The most that is read of a file with variables, and of one to be replaced. */
export const largestFile = 16 * mebibyte;

interface Opened {
  readonly handle: number;
  readonly stats: Stats;
}

/** The one door to files that people name, and to our own. A named pipe does not make it wait; undefined for no file. */
export function openNamed(path: string): Opened | undefined {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  try {
    const handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return { handle, stats: fstatSync(handle) };
  } catch (error) {
    const code = faultCode(error);
    if (code === 'ENOENT') return undefined;
    // That is how a socket fails.
    throw code === 'ENXIO' ? unreadable(path, irregular) : cannotRead(path, error);
  }
}

const irregular = 'not a regular file';

function fileKind(stats: Stats): string {
  return stats.isDirectory() ? 'it is a folder' : irregular;
}

/** The bytes of a regular file, undefined when missing. Throws usage for anything else, and for more than `mostBytes`. */
export function readNamedFile(path: string, mostBytes: number): Uint8Array | undefined {
  const opened = openNamed(path);
  if (!opened) return undefined;
  try {
    if (!opened.stats.isFile()) throw unreadable(path, fileKind(opened.stats));
    return readHandle(opened.handle, path, mostBytes);
  } finally {
    closeSync(opened.handle);
  }
}

/** The same of a file that is to be replaced: only one of ours, and under its own name. Throws usage for any other. */
export function readReplaceable(path: string): Uint8Array | undefined {
  const opened = openNamed(path);
  try {
    const reason = opened && whyKept(opened.stats);
    if (reason) throw new CliError('usage', `cannot write ${path}: ${reason}`);
    refuseLink(path);
    return opened && readHandle(opened.handle, path, largestFile);
  } finally {
    if (opened) closeSync(opened.handle);
  }
}

function whyKept(stats: Stats): string | undefined {
  if (!stats.isFile()) return fileKind(stats);
  const isForeign = ownUser !== undefined && stats.uid !== ownUser;
  return isForeign ? `it belongs to another user (${stats.uid})` : undefined;
}

function refuseLink(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  // Whether the link or its target is meant, only its owner knows.
  const target = realPathOf(path);
  const retry = target === undefined ? {} : { retry: { meant: { given: path, by: target } } };
  throw new CliError('usage', `cannot write ${path}: it is a link`, retry);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Replaces a file by a private one in one step. `before` is what `readReplaceable` found; throws rejected where it is
 * something else by now, or somebody else is about to replace it, and internal where it cannot be written.
 */
export function replaceNamedFile(path: string, before: Uint8Array | undefined, after: Uint8Array): void {
  const fresh = `${path}.stackops-new`;
  const handle = claim(fresh, path);
  try {
    writeFileSync(handle, after);
    fsyncSync(handle);
    const now = readReplaceable(path);
    const isSame = before && now ? Buffer.compare(before, now) === 0 : before === now;
    if (!isSame) throw new CliError('rejected', `${path} was changed meanwhile; nothing was written`, { retry: {} });
    renameFile(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw cannotWrite(path, error);
  } finally {
    closeSync(handle);
  }
}

function claim(fresh: string, path: string): number {
  // Of several at once only one makes this file.
  const handle = orCannotWrite(path, () => createFile(fresh));
  if (handle !== undefined) return handle;
  throw new CliError('rejected', `cannot write ${path}: another stackops is writing it`, {
    hint: `if no other stackops is running: rm ${shellWord(fresh)}`,
  });
}

/** The bytes of a regular file, of a terminal, or of a pipe that a program writes to. Throws usage for anything else. */
export async function readNamedInput(path: string, mostBytes: number, stop: AbortSignal): Promise<Uint8Array> {
  const opened = openNamed(path);
  if (!opened) throw unreadable(path, 'file not found');
  const { handle, stats } = opened;
  try {
    if (stats.isFile()) return readHandle(handle, path, mostBytes);
    const { isatty } = await import('node:tty');
    if (!stats.isFIFO() && !isatty(handle)) throw unreadable(path, fileKind(stats));
    return await readStream(chunksOf(opened, path, stop), path, { mostBytes, stop });
  } finally {
    closeSync(handle);
  }
}

const longestPauseMs = 32;

/** Looks again and again, because only Node can tell when a pipe that it did not open has something to read. */
async function* chunksOf({ handle, stats }: Opened, path: string, stop: AbortSignal): AsyncGenerator<Uint8Array> {
  const { setTimeout: wait } = await import('node:timers/promises');
  let pauseMs = 1;
  for (let turns = 0; !stop.aborted; turns++) {
    const chunk = new Uint8Array(65_536);
    const length = readSome(handle, path, chunk);
    if (length === 0 && turns === 0 && stats.isFIFO()) throw unreadable(path, 'no program writes to it');
    if (length === 0) return;
    if (length === undefined) {
      await wait(pauseMs, undefined, { signal: stop }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    } else {
      // A copy, because a line of a slow program would keep all of it.
      yield chunk.slice(0, length);
      pauseMs = 1;
    }
  }
}

/** Reads a stream until it ends or is aborted. Throws usage for more than `mostBytes`, or where it fails. */
export async function readStream(
  input: AsyncIterable<Uint8Array> & { destroy?(): void },
  shown: string,
  { mostBytes, stop }: { readonly mostBytes: number; readonly stop: AbortSignal },
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let left = mostBytes;
  stop.addEventListener('abort', () => input.destroy?.(), { once: true });
  try {
    for await (const chunk of input) {
      chunks.push(chunk);
      left -= chunk.length;
      if (left < 0) break;
    }
  } catch (error) {
    throw stop.aborted ? interrupted() : cannotRead(shown, error);
  }
  if (stop.aborted) throw interrupted();
  if (left < 0) throw tooLarge(shown, mostBytes);
  return Buffer.concat(chunks);
}

/** All that an open file holds. Throws usage for more than `mostBytes`, however fast it grows. */
export function readHandle(handle: number, path: string, mostBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let left = mostBytes; left >= 0; ) {
    const chunk = new Uint8Array(Math.min(left + 1, 65_536));
    const length = readSome(handle, path, chunk) ?? 0;
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
    left -= length;
  }
  throw tooLarge(path, mostBytes);
}

/** How many bytes there are now; 0 at the end, undefined where there are none yet. */
export function readSome(handle: number, path: string, bytes: Uint8Array): number | undefined {
  try {
    return readSync(handle, bytes);
  } catch (error) {
    if (faultCode(error) === 'EAGAIN') return undefined;
    throw cannotRead(path, error);
  }
}

/** Bytes as text; a byte-order mark is kept. Throws usage where they are not UTF-8. */
export function utf8Text(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError('usage', `${shown} is not valid UTF-8`);
  }
}

function unreadable(path: string, reason: string): CliError {
  return new CliError('usage', `cannot read ${path}: ${reason}`);
}

function tooLarge(shown: string, mostBytes: number): CliError {
  return new CliError('usage', `${shown} is larger than ${mostBytes / mebibyte} MiB`);
}
