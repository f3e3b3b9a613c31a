import { fstatSync } from 'node:fs';
import type { RawStream } from '../../output/gate/gate.ts';
import { Problem } from '../../problems/problem.ts';

type Lost = (error: Error) => Problem | undefined;

/** A stream of the process. `open` builds it on first use, because that takes a millisecond or more. */
export function outStream(descriptor: number, open: () => NodeJS.WriteStream, lost: Lost): RawStream {
  let closed = false;
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
        if (closed) return resolve();
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
