import { closeSync, constants, fstatSync, openSync, readSync, realpathSync, type Stats } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { CliError, interruptedError } from '../errors/cli-error.ts';
import { cannotReadError, faultCode } from './file-fault.ts';

export const mebibyte = 1024 * 1024;
/** Maximum size of a file that the user names, or that stackops replaces. */
export const maxFileBytes = 16 * mebibyte;

type OpenedFile = { readonly handle: number; readonly stats: Stats };

/** Opens a file for reading; returns undefined if it is missing. Does not wait for the writer of a named pipe. */
export function openNamedFile(path: string): OpenedFile | undefined {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = constants;
  try {
    const handle = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    return { handle, stats: fstatSync(handle) };
  } catch (error) {
    const code = faultCode(error);
    if (code === 'ENOENT') return undefined;
    // Opening a socket fails with ENXIO.
    throw code === 'ENXIO' ? unreadableError(path, notRegularText) : cannotReadError(path, error);
  }
}

const notRegularText = 'not a regular file';

export function irregularFileText(stats: Stats): string {
  return stats.isDirectory() ? 'it is a folder' : notRegularText;
}

/** Returns undefined if missing. Throws `usage` unless it is a regular, readable file of at most `mostBytes`. */
export function readNamedFile(path: string, mostBytes: number): Uint8Array | undefined {
  const opened = openNamedFile(path);
  if (!opened) return undefined;
  try {
    if (!opened.stats.isFile()) throw unreadableError(path, irregularFileText(opened.stats));
    return readHandle(opened.handle, path, mostBytes);
  } finally {
    closeSync(opened.handle);
  }
}

/** Reads a file in a folder like `readNamedFile`. Throws `usage` if its path, or a link, leads out of the folder. */
export function readFileBelow(folder: string, path: string, mostBytes: number): Uint8Array | undefined {
  let realPath: string;
  try {
    realPath = realpathSync(join(folder, path));
  } catch (error) {
    if (faultCode(error) === 'ENOENT') return undefined;
    throw cannotReadError(path, error);
  }
  const relativePath = relative(realpathSync(folder), realPath);
  if (isAbsolute(relativePath) || relativePath.split(sep)[0] === '..')
    throw unreadableError(path, `it lies outside of ${folder}`);
  return readNamedFile(realPath, mostBytes);
}

/** Reads a regular file, a terminal, or a pipe that a program writes to. Throws `usage` for anything else. */
export async function readNamedInput(path: string, mostBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const opened = openNamedFile(path);
  if (!opened) throw unreadableError(path, 'file not found');
  const { handle, stats } = opened;
  try {
    if (stats.isFile()) return readHandle(handle, path, mostBytes);
    const { isatty } = await import('node:tty');
    if (!stats.isFIFO() && !isatty(handle)) throw unreadableError(path, irregularFileText(stats));
    return await readStream(chunksOf(opened, path, signal), path, { mostBytes, signal });
  } finally {
    closeSync(handle);
  }
}

const maxPauseMs = 32;

/** Yields the bytes of a pipe or a terminal. Polls, because reading the handle does not wait for data. */
async function* chunksOf({ handle, stats }: OpenedFile, path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const { setTimeout: wait } = await import('node:timers/promises');
  let pauseMs = 1;
  for (let readCount = 0; !signal.aborted; readCount++) {
    const chunk = new Uint8Array(65_536);
    const length = readIntoBuffer(handle, path, chunk);
    if (length === 0 && readCount === 0 && stats.isFIFO()) throw unreadableError(path, 'no program writes to it');
    if (length === 0) return;
    if (length === undefined) {
      await wait(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(pauseMs * 2, maxPauseMs);
    } else {
      // The bytes are copied, because a few bytes of a slow program would keep the whole 64 KiB in memory.
      yield chunk.slice(0, length);
      pauseMs = 1;
    }
  }
}

type ByteStream = AsyncIterable<Uint8Array> & { destroy?(): void };
type ReadLimits = { readonly mostBytes: number; readonly signal: AbortSignal };

/** Reads a stream to its end. Throws `usage` beyond `mostBytes` or if a read fails, `interrupted` after `signal`. */
export async function readStream(input: ByteStream, label: string, limits: ReadLimits): Promise<Uint8Array> {
  const { mostBytes, signal } = limits;
  const chunks: Uint8Array[] = [];
  let bytesLeft = mostBytes;
  signal.addEventListener('abort', () => input.destroy?.(), { once: true });
  try {
    for await (const chunk of input) {
      chunks.push(chunk);
      bytesLeft -= chunk.length;
      if (bytesLeft < 0) break;
    }
  } catch (error) {
    throw signal.aborted ? interruptedError() : cannotReadError(label, error);
  }
  if (signal.aborted) throw interruptedError();
  if (bytesLeft < 0) throw tooLargeError(label, mostBytes);
  return Buffer.concat(chunks);
}

/** Reads an open file to its end. Throws `usage` for more than `mostBytes`, also if the file grows meanwhile. */
export function readHandle(handle: number, path: string, mostBytes: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (let bytesLeft = mostBytes; bytesLeft >= 0; ) {
    const chunk = new Uint8Array(Math.min(bytesLeft + 1, 65_536));
    const length = readIntoBuffer(handle, path, chunk) ?? 0;
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, length));
    bytesLeft -= length;
  }
  throw tooLargeError(path, mostBytes);
}

/** Fills `buffer` and returns the number of bytes read; 0 at the end, undefined if no bytes have arrived yet. */
export function readIntoBuffer(handle: number, path: string, buffer: Uint8Array): number | undefined {
  try {
    return readSync(handle, buffer);
  } catch (error) {
    if (faultCode(error) === 'EAGAIN') return undefined;
    throw cannotReadError(path, error);
  }
}

/** Decodes bytes to text and keeps a byte-order mark. Throws `usage` if the bytes are not UTF-8. */
export function utf8Text(bytes: Uint8Array, label: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CliError('usage', `${label} is not valid UTF-8`);
  }
}

function unreadableError(path: string, reason: string): CliError {
  return new CliError('usage', `cannot read ${path}: ${reason}`);
}

function tooLargeError(label: string, mostBytes: number): CliError {
  const limitText = mostBytes < mebibyte ? `${mostBytes / 1024} KiB` : `${mostBytes / mebibyte} MiB`;
  return new CliError('usage', `${label} is larger than ${limitText}`);
}
