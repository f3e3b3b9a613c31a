import { readSync, type Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { isatty, ReadStream } from 'node:tty';

/** Reads from an open terminal or pipe; undefined for anything else and for a pipe without a writer. */
export async function openStream({ fd }: FileHandle, stats: Stats): Promise<Socket | undefined> {
  if (stats.isCharacterDevice()) return isatty(fd) ? new ReadStream(fd) : undefined;
  if (!stats.isFIFO()) return undefined;
  const first = readFirst(fd);
  if (first?.length === 0) return undefined;
  const stream = new Socket({ fd, readable: true, writable: false });
  if (first) stream.unshift(first);
  return stream;
}

/** The content of a pipe: empty at its end, undefined when a writer has it open but wrote nothing yet. */
function readFirst(fd: number): Uint8Array | undefined {
  const bytes = new Uint8Array(65_536);
  try {
    return bytes.subarray(0, readSync(fd, bytes));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}
