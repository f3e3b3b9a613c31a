import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { CliError, interruptedError } from '../errors/cli-error.ts';
import { cannotReadError, faultCode } from './file-fault.ts';

export const mebibyte = 1024 * 1024;
/** The most that is read of a file with variables, and of one to be replaced. */
export const largestFileBytes = 16 * mebibyte;

interface OpenedFile {
  readonly handle: number;
  readonly stats: Stats;
}

/** Opens a file for reading, undefined when missing. Every other reader calls it. A named pipe does not make it wait. */
export function openNamedFile(path: string): OpenedFile | undefined {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  try {
    const handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return { handle, stats: fstatSync(handle) };
  } catch (error) {
    const code = faultCode(error);
    if (code === 'ENOENT') return undefined;
    // Opening a socket fails with ENXIO.
    throw code === 'ENXIO' ? unreadable(path, notRegular) : cannotReadError(path, error);
  }
}

const notRegular = 'not a regular file';

export function irregularFileText(stats: Stats): string {
  return stats.isDirectory() ? 'it is a folder' : notRegular;
}

/** The bytes of a regular file, undefined when missing. Throws usage for anything else, and for more than `mostBytes`. */
export function readNamedFile(path: string, mostBytes: number): Uint8Array | undefined {
  const opened = openNamedFile(path);
  if (!opened) return undefined;
  try {
    if (!opened.stats.isFile()) throw unreadable(path, irregularFileText(opened.stats));
    return readHandle(opened.handle, path, mostBytes);
  } finally {
    closeSync(opened.handle);
  }
}

/** As `readNamedFile` for a path in a folder. Throws usage for a file outside of the folder, such as the target of a link. */
export function readFileBelow(folder: string, path: string, mostBytes: number): Uint8Array | undefined {
  let real: string;
  try {
    real = realpathSync(join(folder, path));
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotReadError(path, error);
  }
  const below = relative(realpathSync(folder), real);
  if (isAbsolute(below) || below.split(sep)[0] === '..') throw unreadable(path, `it lies outside of ${folder}`);
  return readNamedFile(real, mostBytes);
}

/** The bytes of a regular file, of a terminal, or of a pipe that a program writes to. Throws usage for anything else. */
export async function readNamedInput(path: string, mostBytes: number, stop: AbortSignal): Promise<Uint8Array> {
  const opened = openNamedFile(path);
  if (!opened) throw unreadable(path, 'file not found');
  const { handle, stats } = opened;
  try {
    if (stats.isFile()) return readHandle(handle, path, mostBytes);
    const { isatty } = await import('node:tty');
    if (!stats.isFIFO() && !isatty(handle)) throw unreadable(path, irregularFileText(stats));
    return await readStream(chunksOf(opened, path, stop), path, { mostBytes, stop });
  } finally {
    closeSync(handle);
  }
}

const longestPauseMs = 32;

/** Polls, because Node cannot wait for data in a pipe that it did not open. */
async function* chunksOf({ handle, stats }: OpenedFile, path: string, stop: AbortSignal): AsyncGenerator<Uint8Array> {
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
    throw stop.aborted ? interruptedError() : cannotReadError(shown, error);
  }
  if (stop.aborted) throw interruptedError();
  if (left < 0) throw tooLarge(shown, mostBytes);
  return Buffer.concat(chunks);
}

/** Reads an open file to its end. Throws usage for more than `mostBytes`, even if it grows meanwhile. */
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

/** The number of bytes read; 0 at the end, undefined when none have arrived yet. */
export function readSome(handle: number, path: string, bytes: Uint8Array): number | undefined {
  try {
    return readSync(handle, bytes);
  } catch (error) {
    if (faultCode(error) === 'EAGAIN') return undefined;
    throw cannotReadError(path, error);
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
  const limit = mostBytes < mebibyte ? `${mostBytes / 1024} KiB` : `${mostBytes / mebibyte} MiB`;
  return new CliError('usage', `${shown} is larger than ${limit}`);
}
