import { fstatSync, writeSync } from 'node:fs';
import type { AskOptions, OutStream } from './cli/world.ts';
import { compose } from './compose.ts';
import type { Host } from './host.ts';

type Stop = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * The composition root: the only file, with the launcher, that touches the process. The exit code was set to 1 before
 * anything ran and becomes the real one last; `process.exit` is never called, because it cuts piped output.
 */
export async function main(): Promise<void> {
  let received: Stop | undefined;
  const stop = once(() =>
    abortedBy((signal) => {
      if (received) raise(received);
      received = signal;
    }),
  );
  const stdin = once(() => process.stdin);
  const code = await compose(realHost(stdin.get, stop.get));
  stdin.made()?.destroy();
  if (received) raise(received);
  else process.exitCode = code;
}

function abortedBy(take: (signal: Stop) => void): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      take(signal);
      stop.abort(signal);
    });
  }
  return stop.signal;
}

/** Ends by the signal itself, so that a calling script sees it and stops too. */
function raise(signal: Stop): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/** What Node builds when it is first asked for (streams, signal handlers) costs a millisecond or more apiece. */
function realHost(stdin: () => Input, stop: () => AbortSignal): Host {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    v8Version: process.versions.v8,
    platform: `${process.platform}; node ${process.version}`,
    out: outStream(1, () => process.stdout),
    err: outStream(2, () => process.stderr),
    get stdinTerminal() {
      return isTerminal(0);
    },
    readStdin: () => readAll(stdin()),
    ask: (question, options = {}) => ask(stdin(), question, { ...options, stop: stop() }),
    get signal() {
      return stop();
    },
    now: () => new Date(),
  };
}

type Input = typeof process.stdin;

function outStream(descriptor: number, open: () => NodeJS.WriteStream): OutStream {
  let closed = false;
  const target = once(() => open().on('error', () => {}));
  const terminal = once(() => isTerminal(descriptor));
  return {
    get terminal() {
      return terminal.get();
    },
    get raw() {
      return target.get();
    },
    get width() {
      return terminal.get() ? (target.get().columns ?? 0) : 0;
    },
    write: (text) =>
      new Promise((resolve, reject) => {
        if (closed || (!target.made() && writeAtOnce(descriptor, text))) return resolve();
        target.get().write(text, (error) => {
          if (!error) return resolve();
          closed = true;
          if ('code' in error && error.code === 'EPIPE') return resolve();
          reject(error);
        });
      }),
  };
}

/** The kind of file settles most cases, and without Node's terminal module. */
function isTerminal(descriptor: number): boolean {
  try {
    return (
      fstatSync(descriptor).isCharacterDevice() && (require('node:tty') as typeof import('node:tty')).isatty(descriptor)
    );
  } catch {
    return false;
  }
}

/**
 * Writes a text that fits into a pipe without building a stream for it. False when nothing was written; the stream
 * then takes over. A longer text may block on a slow reader, and a blocked process would not hear Ctrl-C.
 */
function writeAtOnce(descriptor: number, text: string): boolean {
  const bytes = Buffer.from(text);
  if (bytes.length > 16_384) return false;
  try {
    return writeSync(descriptor, bytes) === bytes.length;
  } catch {
    return false;
  }
}

async function readAll(input: Input): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > 1024 * 1024) break;
  }
  return Buffer.concat(chunks);
}

interface Question extends AskOptions {
  readonly stop: AbortSignal;
}

async function ask(input: Input, question: string, { hidden, signal, stop }: Question): Promise<string | undefined> {
  const [{ createInterface }, { PassThrough }] = await Promise.all([import('node:readline'), import('node:stream')]);
  const lines = createInterface({ input, output: hidden ? new PassThrough() : process.stderr, terminal: true });
  const close = () => lines.close();
  process.stderr.write(question);
  const answer = await new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
    // In raw mode Ctrl-C is a key; it becomes the signal that it is everywhere else.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    stop.addEventListener('abort', close, { once: true });
    signal?.addEventListener('abort', close, { once: true });
  });
  close();
  if (hidden) process.stderr.write('\n');
  return answer;
}

function once<T>(make: () => T): { get(): T; made(): T | undefined } {
  let made: T | undefined;
  return {
    get: () => {
      made ??= make();
      return made;
    },
    made: () => made,
  };
}
