import { fstatSync, type Stats, writeSync } from 'node:fs';
import type { Screen } from '../cli/host.ts';
import { once } from '../contract/values/once.ts';
import { CliError } from '../errors/cli-error.ts';
import { faultCode } from '../files/file-fault.ts';
import type { RawStream } from '../output/safe/create-output.ts';

/** Returns an output stream of the process. `openStream` is called at the first use: it takes a millisecond or more. */
export function outStream(descriptor: 1 | 2, openStream: () => NodeJS.WriteStream): RawStream {
  let isClosed = false;
  let failure: CliError | undefined;
  let openedStream: NodeJS.WriteStream | undefined;
  const getStream = () => (openedStream ??= openStream().on('error', () => {}));
  const isFile = once(() => statsOf(descriptor)?.isFile());
  const writeBytes = async (bytes: Buffer): Promise<void> => {
    if (isFile()) return writeFile(descriptor, bytes);
    const unwrittenBytes = openedStream ? bytes : writeWithoutStream(descriptor, bytes);
    if (unwrittenBytes.length > 0) await writeToStream(getStream(), unwrittenBytes);
  };
  const terminal = once(() => isTerminal(descriptor));
  return {
    get terminal() {
      return terminal();
    },
    get raw() {
      return getStream();
    },
    get width() {
      return this.terminal ? (getStream().columns ?? 0) : 0;
    },
    get isClosed() {
      return isClosed;
    },
    write: async (text) => {
      // After one failed write the output is incomplete, so every later write fails too.
      if (failure) throw failure;
      if (isClosed) return;
      try {
        // `text` may also be bytes, which `Buffer.from` accepts too.
        await writeBytes(Buffer.from(text as string));
      } catch (error) {
        isClosed = true;
        // A write to a closed pipe fails with EPIPE, on Windows with EOF. A loss on stderr cannot be reported there.
        if (descriptor === 2 || ['EPIPE', 'EOF'].includes(faultCode(error) ?? '')) return;
        failure = new CliError('internal', `the output could not be written (${faultCode(error) ?? error})`);
        throw failure;
      }
    },
  };
}

/** Returns what an open file is; undefined if that cannot be read: the file is closed, or a handle of Windows. */
export function statsOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined;
  }
}

function writeFile(descriptor: number, bytes: Buffer): void {
  // Written without Node's stream, which drops the rest without an error when the disk is full.
  for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(descriptor, rest));
}

/** The longest output in bytes that is written without a stream. Most output is shorter. */
const maxShortBytes = 16_384;

/** Writes a short output without a stream, which takes longer to build than to use. Returns the bytes that are left. */
function writeWithoutStream(descriptor: number, bytes: Buffer): Buffer {
  if (bytes.length > maxShortBytes) return bytes;
  try {
    return bytes.subarray(writeSync(descriptor, bytes));
  } catch (error) {
    // `writeSync` cannot wait for a slow reader or use some Windows handles. Node's stream can.
    if (['EAGAIN', 'EBADF'].includes(faultCode(error) ?? '')) return bytes;
    throw error;
  }
}

function writeToStream(stream: NodeJS.WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

const seenTerminals = new Set<number>();

/** True for a terminal. Node's terminal module is loaded only for a character device, as every terminal is one. */
export function isTerminal(descriptor: number): boolean {
  if (!statsOf(descriptor)?.isCharacterDevice()) return false;
  const isTty = (require('node:tty') as typeof import('node:tty')).isatty(descriptor);
  if (isTty) seenTerminals.add(descriptor);
  return isTty;
}

export function isTerminalClosed(): boolean {
  return [...seenTerminals].some((descriptor) => !isTerminal(descriptor));
}

/** Makes `setRawMode` do nothing once the terminal is closed, because Node's `setRawMode` would throw then. */
export function withSafeRawMode(input: Stdin): Stdin {
  if (!input.isTTY) return input;
  const setRawMode = input.setRawMode.bind(input);
  return Object.assign(input, { setRawMode: (mode: boolean) => (isTerminal(0) ? setRawMode(mode) : input) });
}

type Stdin = NodeJS.ReadStream;
type Stdout = NodeJS.WriteStream;

/** Returns the terminal of this process. `stdin` is undefined if it is no terminal. `interrupt` acts like Ctrl-C. */
export function terminalScreen(
  getStdin: () => Stdin | undefined,
  getStdout: () => Stdout,
  interrupt: () => void,
): Screen {
  return {
    get height() {
      return getStdout().rows ?? 0;
    },
    get hasKeys() {
      return getStdin() !== undefined;
    },
    listen: (onEvent) => {
      const onResize = () => onEvent('resized');
      getStdout().on('resize', onResize);
      const input = getStdin();
      const stopReadingKeys = input && listenForKeys(input, () => onEvent('quit'), interrupt);
      return () => {
        getStdout().off('resize', onResize);
        stopReadingKeys?.();
      };
    },
  };
}

/** Matches the escape sequences of arrows and other keys. They may arrive together with the next key. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are sent as control characters
const escapeSequencePattern = /\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)?/g;
/** The character that Ctrl-C sends in raw mode. */
const interruptKey = '\x03';

function listenForKeys(input: Stdin, quit: () => void, interrupt: () => void): () => void {
  const onKeys = (keys: Buffer) => {
    const text = keys.toString().replaceAll(escapeSequencePattern, '');
    if (text.includes(interruptKey)) interrupt();
    else if (/q/i.test(text)) quit();
  };
  input.setRawMode(true);
  input.on('data', onKeys);
  return () => {
    input.off('data', onKeys);
    input.pause();
    input.setRawMode(false);
  };
}
