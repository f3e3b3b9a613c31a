import { fstatSync, writeSync } from 'node:fs';
import type { RawStream } from '../output/gate/gate.ts';
import { Problem } from '../problems/problem.ts';

type Lost = (error: Error) => Problem | undefined;

/** A stream of the process. `open` builds it on first use, because that takes a millisecond or more. */
export function outStream(descriptor: number, open: () => NodeJS.WriteStream, lost: Lost): RawStream {
  let closed = false;
  let sentBytes = 0;
  let opened: NodeJS.WriteStream | undefined;
  const target = (): NodeJS.WriteStream => {
    opened ??= open().on('error', () => {});
    return opened;
  };
  let terminal: boolean | undefined;
  return {
    get terminal() {
      terminal ??= isTerminal(descriptor);
      return terminal;
    },
    get raw() {
      return target();
    },
    get width() {
      return this.terminal ? (target().columns ?? 0) : 0;
    },
    get gone() {
      return closed;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        const bytes = Buffer.from(text);
        const isShort = !opened && sentBytes + bytes.length <= pipeBytes;
        sentBytes += bytes.length;
        if (closed || (isShort && writeAtOnce(descriptor, bytes))) return resolve();
        target().write(text, (error) => {
          if (!error) return resolve();
          closed = true;
          const problem = isReaderGone(error) ? undefined : lost(error);
          if (problem) reject(problem);
          else resolve();
        });
      }),
  };
}

/** Windows reports EOF when nobody reads a pipe any more. */
function isReaderGone(error: Error): boolean {
  return 'code' in error && (error.code === 'EPIPE' || error.code === 'EOF');
}

/** The Problem for a failed write. */
export function lostOutput(error: Error): Problem {
  const reason = 'code' in error ? error.code : error.message;
  return new Problem('internal', `the output could not be written (${reason})`);
}

/** The file type decides most cases without loading Node's terminal module. */
export function isTerminal(descriptor: number): boolean {
  try {
    return (
      fstatSync(descriptor).isCharacterDevice() && (require('node:tty') as typeof import('node:tty')).isatty(descriptor)
    );
  } catch {
    return false;
  }
}

/** Fits into any pipe. A larger write may block on a slow reader, and a blocked process ignores Ctrl-C. */
const pipeBytes = 16_384;

/** Writes a text without building a stream. False when nothing was written: the stream is used then. */
function writeAtOnce(descriptor: number, bytes: Uint8Array): boolean {
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  }
}
