import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Host } from '../../cli/host.ts';
import { interrupted, Problem } from '../../problems/problem.ts';

const mebibyte = 1024 * 1024;
/** Limit for a value or a short list. */
const usualBytes = mebibyte;

/**
 * UTF-8 text of a file, pipe or terminal (`-` for stdin), at most `mostBytes`; a byte-order mark is kept. Throws usage
 * for anything else, for a longer text, and for a named pipe without a writer.
 */
export async function readText(path: string, host: Host, mostBytes = usualBytes): Promise<string> {
  const shown = path === '-' ? 'stdin' : path;
  const bytes = await readOnce(path, host, mostBytes);
  if (bytes.length > mostBytes) throw new Problem('usage', `${shown} is larger than ${mostBytes / mebibyte} MiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Problem('usage', `${shown} is not valid UTF-8`);
  }
}

/** A pipe can be read only once, but a question or a command over several stacks needs the text again. */
const bytesRead = new WeakMap<Host, Map<string, Promise<Uint8Array>>>();

function readOnce(path: string, host: Host, mostBytes: number): Promise<Uint8Array> {
  const known = bytesRead.get(host) ?? new Map<string, Promise<Uint8Array>>();
  bytesRead.set(host, known);
  const bytes = known.get(path) ?? (path === '-' ? readStdin(host, mostBytes) : readFile(path, host, mostBytes));
  known.set(path, bytes);
  return bytes;
}

async function readStdin({ stdinTerminal, err, readStdin }: Host, mostBytes: number): Promise<Uint8Array> {
  if (stdinTerminal) await err.lines(['reading from the terminal; end with Ctrl-D']);
  try {
    return await readStdin(mostBytes);
  } catch (error) {
    throw cannotRead('stdin', error);
  }
}

async function readFile(path: string, host: Host, mostBytes: number): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK opening a named pipe would hang until somebody writes.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = await file.stat();
    if (stats.isFile()) return await readStart(file, mostBytes + 1);
    if (stats.isDirectory()) throw new Unreadable('it is a folder');
    const { openStream } = await import('./read-stream.ts');
    const input = await openStream(file, stats);
    if (!input) throw new Unreadable('it is not a file, a terminal or a pipe with a writer');
    return await readStream(input, host.signal, mostBytes);
  } catch (error) {
    throw cannotRead(path, error);
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** At most this many bytes from the start of a file. */
async function readStart(file: FileHandle, bytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let left = bytes; left > 0; ) {
    const { bytesRead, buffer } = await file.read(new Uint8Array(Math.min(left, 65_536)));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks);
}

/** Reads a stream until it ends, is aborted, or exceeds this many bytes. */
export async function readStream(
  input: AsyncIterable<Uint8Array> & { destroy(): void },
  stop: AbortSignal,
  mostBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const close = () => input.destroy();
  stop.addEventListener('abort', close, { once: true });
  try {
    for await (const chunk of input) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > mostBytes) break;
    }
  } catch (error) {
    throw stop.aborted ? interrupted() : error;
  }
  if (stop.aborted) throw interrupted();
  return Buffer.concat(chunks);
}

/** Why an opened file is not read, as text after its name. */
export class Unreadable extends Error {}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'file not found',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

function cannotRead(shown: string, error: unknown): Problem {
  if (error instanceof Problem) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const reason = error instanceof Unreadable ? error.message : (reasons[code] ?? code);
  return new Problem('usage', `cannot read ${shown}: ${reason}`);
}
