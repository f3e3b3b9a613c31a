import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { faultCode, faultReason } from './file-fault.ts';
import { findProgram, startOfProgram } from './find-program.ts';

interface CaptureOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  readonly folder?: string;
  /** Given to the program; without it there is no stdin. */
  readonly input?: string;
  /** Whether its stderr is read too, in the order in which it comes. */
  readonly withStderr?: true;
  readonly take: (part: Buffer) => void;
  /** Ends it, and all that it started where it leads a group. */
  readonly stop: AbortSignal;
  /** Signals a process group, which the program then leads. */
  readonly signalGroup?: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** Whether what it has printed is enough although something it started holds its output open. */
  readonly isEnough?: () => boolean;
}

/** Between SIGTERM and SIGKILL: enough to turn the echo of the terminal on again. */
const graceMs = 500;

/** Runs a program without a shell until it ends or is stopped. Throws the system error where it cannot be started. */
export async function collectProgram(commandLine: readonly string[], options: CaptureOptions) {
  const { stop, take, isEnough = () => false } = options;
  const done = new AbortController();
  try {
    const child = await start(commandLine, options);
    const givenUp = new Promise<void>((resolve) => {
      stop.addEventListener('abort', () => end(child, options, resolve), { signal: done.signal });
      if (stop.aborted) end(child, options, resolve);
    });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', take);
    const closed = once(child, 'close');
    // What cannot be started has closed too, and says why here.
    await Promise.race([closed, givenUp, ended(child, isEnough).then((early) => (early ? undefined : closed))]);
    if (stop.aborted) await Promise.race([closed, givenUp]);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
    return { code: child.exitCode, signal: child.signalCode };
  } finally {
    done.abort();
  }
}

/** Keeps the first bytes of what a program prints. */
export function firstBytes(most: number) {
  const pieces: Buffer[] = [];
  let printed = 0;
  return {
    add: (piece: Buffer): void => {
      if (printed < most) pieces.push(piece.subarray(0, most - printed));
      printed += piece.length;
    },
    kept: () => Buffer.concat(pieces),
    isTruncated: () => printed > most,
  };
}

export function startFault(error: unknown): string {
  return faultCode(error) === 'ENOENT' ? 'program not found' : faultReason(error);
}

async function start([program = '', ...args]: readonly string[], options: CaptureOptions): Promise<ChildProcess> {
  const { env, platform, folder, input, withStderr, signalGroup } = options;
  const { spawn } = await import('node:child_process');
  const detached = signalGroup !== undefined;
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', withStderr ? 'pipe' : 'ignore'] as const;
  const found = platform.startsWith('win32') ? findProgram(program, env, platform) : undefined;
  const { file, args: words, ...how } = startOfProgram(found ?? program, args, env, platform);
  const child = spawn(file, words, { ...how, cwd: folder, env, detached, windowsHide: true, stdio: [...stdio] });
  // A program that does not read it is no failure.
  child.stdin?.on('error', () => {}).end(input);
  return child;
}

async function ended(child: ChildProcess, isEnough: () => boolean): Promise<boolean> {
  await once(child, 'exit');
  // What it printed before is read within a turn.
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  // What it started may hold its output open.
  return isEnough();
}

function end(child: ChildProcess, { signalGroup }: CaptureOptions, giveUp: () => void): void {
  const send = (signal: NodeJS.Signals) => {
    try {
      if (signalGroup && child.pid) signalGroup(child.pid, signal);
      else child.kill(signal);
    } catch {
      // They have ended already.
    }
  };
  const kill = () => {
    clearTimeout(timer);
    send('SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (child.exitCode !== null || child.signalCode !== null) return;
    // A program that we may not signal, such as one of sudo, runs on without us.
    const last = setTimeout(() => {
      child.unref();
      giveUp();
    }, graceMs);
    child.once('exit', () => clearTimeout(last));
  };
  const timer = setTimeout(kill, graceMs);
  child.once('close', kill);
  send('SIGTERM');
}
