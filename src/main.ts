import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import type { AskOptions, OutStream } from './cli/world.ts';
import { compose } from './compose.ts';
import type { Host } from './host.ts';

type Stop = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * The composition root: the only file, with the launcher, that touches the process. The exit code was set to 1 before
 * anything ran and becomes the real one last; `process.exit` is never called, because it cuts piped output.
 */
export async function main(): Promise<void> {
  const stop = new AbortController();
  let received: Stop | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (received) raise(received);
      received = signal;
      stop.abort(signal);
    });
  }
  const code = await compose(realHost(stop.signal));
  process.stdin.destroy();
  if (received) raise(received);
  else process.exitCode = code;
}

/** Ends by the signal itself, so that a calling script sees it and stops too. */
function raise(signal: Stop): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function realHost(signal: AbortSignal): Host {
  return {
    argv: process.argv.slice(2),
    env: process.env,
    v8Version: process.versions.v8,
    platform: `${process.platform}; node ${process.version}`,
    out: stream(process.stdout),
    err: stream(process.stderr),
    stdinTerminal: process.stdin.isTTY === true,
    readStdin,
    ask: (question, options = {}) => ask(question, options, signal),
    signal,
    now: () => new Date(),
  };
}

function stream(target: NodeJS.WriteStream): OutStream {
  let closed = false;
  target.on('error', () => {});
  return {
    terminal: target.isTTY === true,
    raw: target,
    width: target.columns ?? 0,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (closed) return resolve();
        target.write(text, (error) => {
          if (!error) return resolve();
          closed = true;
          if ('code' in error && error.code === 'EPIPE') return resolve();
          reject(error);
        });
      }),
  };
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > 1024 * 1024) break;
  }
  return Buffer.concat(chunks);
}

function ask(question: string, { hidden = false, signal }: AskOptions, stop: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({
    input: process.stdin,
    output: hidden ? new PassThrough() : process.stderr,
    terminal: true,
  });
  const close = () => lines.close();
  process.stderr.write(question);
  return new Promise<string | undefined>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(undefined));
    // In raw mode Ctrl-C is a key; it becomes the signal that it is everywhere else.
    lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    stop.addEventListener('abort', close, { once: true });
    signal?.addEventListener('abort', close, { once: true });
  }).finally(() => {
    close();
    if (hidden) process.stderr.write('\n');
  });
}
