import { fstatSync, writeSync } from 'node:fs';
import type { Screen } from '../cli/host.ts';
import { once } from '../contract/values/once.ts';
import { CliError } from '../errors/cli-error.ts';
import { faultCode } from '../files/file-fault.ts';
import type { RawStream } from '../output/safe/create-output.ts';

/** A stream of the process. `open` builds it on first use, because that takes a millisecond or more. */
export function outStream(
  descriptor: number,
  open: () => NodeJS.WriteStream,
  lost: (error: unknown) => CliError | undefined,
): RawStream {
  let closed = false;
  let failure: CliError | undefined;
  let opened: NodeJS.WriteStream | undefined;
  const target = () => (opened ??= open().on('error', () => {}));
  const isWrittenWhole = once(() => isFile(descriptor));
  const put = async (bytes: Buffer): Promise<void> => {
    if (isWrittenWhole()) return writeFile(descriptor, bytes);
    const rest = opened ? bytes : writeShort(descriptor, bytes);
    if (rest.length > 0) await writeAll(target(), rest);
  };
  const terminal = once(() => isTerminal(descriptor));
  return {
    get terminal() {
      return terminal();
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
    write: async (text) => {
      // After one failed write the output is incomplete, even if later writes succeed.
      if (failure) throw failure;
      if (closed) return;
      try {
        // `write` also accepts bytes.
        await put(Buffer.from(text as string));
      } catch (error) {
        closed = true;
        // Windows reports EOF for a closed pipe.
        const isReaderGone = ['EPIPE', 'EOF'].includes(faultCode(error) ?? '');
        failure = isReaderGone ? undefined : lost(error);
        if (failure) throw failure;
      }
    },
  };
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    // On Windows the type of some handles cannot be read.
    return false;
  }
}

function writeFile(descriptor: number, bytes: Buffer): void {
  // On a full disk Node's stream of a file drops the rest without an error.
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest));
}

/** Most output is no longer than this. */
const shortBytes = 16_384;

/** Returns the bytes that are left to write: Node takes longer to build the stream than to write a short text. */
function writeShort(descriptor: number, bytes: Buffer): Buffer {
  if (bytes.length > shortBytes) return bytes;
  try {
    return bytes.subarray(writeSync(descriptor, bytes));
  } catch (error) {
    // The stream waits for a slow reader and supports the handles of Windows; `writeSync` does not.
    if (['EAGAIN', 'EBADF'].includes(faultCode(error) ?? '')) return bytes;
    throw error;
  }
}

function writeAll(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

export function lostOutput(error: unknown): CliError {
  return new CliError('internal', `the output could not be written (${faultCode(error) ?? error})`);
}

const terminals = new Set<number>();

/** The file type decides most cases without loading Node's terminal module. */
export function isTerminal(descriptor: number): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
    const isOne = (require('node:tty') as typeof import('node:tty')).isatty(descriptor);
    if (isOne) terminals.add(descriptor);
    return isOne;
  } catch {
    return false;
  }
}

/** True after a terminal of this process was closed. */
export function isTerminalClosed(): boolean {
  return [...terminals].some((descriptor) => !isTerminal(descriptor));
}

/** Node throws when readline leaves the raw mode of a terminal that was closed. */
export function closableInput<Input extends Stdin>(input: Input): Input {
  if (!input.isTTY) return input;
  const setRawMode = input.setRawMode.bind(input);
  return Object.assign(input, { setRawMode: (mode: boolean) => (isTerminal(0) ? setRawMode(mode) : input) });
}

type Stdin = NodeJS.ReadStream;
type Stdout = NodeJS.WriteStream;

/** The terminal of the process. `stdin` is undefined without a terminal. `interrupt` has the effect of Ctrl-C. */
export function terminalScreen(stdin: () => Stdin | undefined, stdout: () => Stdout, interrupt: () => void): Screen {
  return {
    get height() {
      return stdout().rows ?? 0;
    },
    get hasKeys() {
      return stdin() !== undefined;
    },
    listen: (take) => {
      const resized = () => take('resized');
      stdout().on('resize', resized);
      const input = stdin();
      const restore = input && readKeys(input, () => take('quit'), interrupt);
      return () => {
        stdout().off('resize', resized);
        restore?.();
      };
    },
  };
}

/** Escape sequences of arrows and other keys; they may arrive together with the next key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as control characters
const otherKeys = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?/g;
/** In raw mode Ctrl-C is a key. */
const interruptKey = '\x03';
const quitKeys = ['q', 'Q'];

function readKeys(input: Stdin, quit: () => void, interrupt: () => void): () => void {
  const typed = (keys: Buffer) => {
    const text = keys.toString().replaceAll(otherKeys, '');
    if (text.includes(interruptKey)) interrupt();
    else if (quitKeys.some((key) => text.includes(key))) quit();
  };
  input.setRawMode(true);
  input.on('data', typed);
  return () => {
    input.off('data', typed);
    input.pause();
    input.setRawMode(false);
  };
}
