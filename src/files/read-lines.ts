import { closeSync, readSync } from 'node:fs';
import { cannotRead } from './file-fault.ts';
import { openOwnFile, type Secrecy } from './own-file.ts';

const chunkBytes = 256 * 1024;
/** A longer line is not ours and is skipped. */
const longestLineBytes = 1024 * 1024;
const lineFeed = 0x0a;

/**
 * The lines of one of our files, one at a time, so that a long file is never in memory; none when missing. Throws usage
 * when it cannot be read.
 */
export function* readLines(file: string, secrecy: Secrecy): Generator<string, void, undefined> {
  const handle = openOwnFile(file, secrecy);
  if (handle === undefined) return;
  try {
    let rest: Buffer<ArrayBuffer> = Buffer.alloc(0);
    for (const chunk of chunksOf(file, handle)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, start)) {
        yield bytes.toString('utf8', start, end);
        start = end + 1;
      }
      rest = keptOf(bytes.subarray(start));
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    closeSync(handle);
  }
}

/** A placeholder for the start of a line that is too long; it matches no line of ours. */
function keptOf(rest: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  return rest.length > longestLineBytes ? Buffer.from('!') : rest;
}

function* chunksOf(file: string, handle: number): Generator<Buffer<ArrayBuffer>, void, undefined> {
  while (true) {
    const chunk = Buffer.alloc(chunkBytes);
    let read = 0;
    try {
      read = readSync(handle, chunk);
    } catch (error) {
      throw cannotRead(file, error);
    }
    if (read === 0) return;
    yield chunk.subarray(0, read);
  }
}
