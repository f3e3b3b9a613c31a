import type { ChildProcess, StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { CliError } from '../errors/cli-error.ts';
import { faultCode, faultReason } from '../files/file-fault.ts';
import { findProgram, startOfProgram } from '../files/find-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramServices {
  /** Our environment without our credentials. */
  readonly env: Environment;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  /** Whether one of our streams is a terminal: its Ctrl-C reaches the program without us. */
  readonly sharesTerminal: boolean;
  /** While this takes, signals are handed to `take`, and stop nothing of ours. */
  readonly withSignalHandler: WithSignalHandler;
  /** The exit code of a run that throws nothing. */
  readonly setExitCode: (code: number) => void;
}

export type WithSignalHandler = <Value>(
  take: (signal: NodeJS.Signals) => void,
  work: () => Promise<Value>,
) => Promise<Value>;

interface Program {
  readonly commandLine: readonly string[];
  /** The whole environment of the program. */
  readonly env: Environment;
  /** Its stdout is our stderr: ours is for data. */
  readonly onStderr?: true;
  /** Called with each signal that we get while it runs. */
  readonly heard?: (signal: NodeJS.Signals) => void;
}

export const sentByTerminal: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

export function mustPassOn(signal: NodeJS.Signals, { sharesTerminal }: ProgramServices): boolean {
  return !(sharesTerminal && sentByTerminal.includes(signal));
}

/**
 * Runs a program without a shell on our own streams and returns its exit code, 128 plus the number of the signal that
 * ended it. Signals are passed on, but for those that the terminal sends to it too. Throws usage when it cannot be
 * started, with the exit codes of `env`: 127 for one that is not found, else 126.
 */
export async function runProgram(
  { commandLine, env, onStderr, heard }: Program,
  services: ProgramServices,
): Promise<number> {
  const { env: ours, platform, withSignalHandler } = services;
  const { spawn } = await import('node:child_process');
  const [name = '', ...args] = commandLine;
  // Which program a name means, only the operator says. Windows itself finds no batch file.
  const isKnown = env['PATH'] === ours['PATH'] && !platform.startsWith('win32');
  const file = isKnown ? name : findProgram(name, ours, platform);
  if (file === undefined) throw notStarted(name, notFound, 127);
  const { file: started, args: words, ...options } = startOfProgram(file, args, ours, platform);
  let kill: ((signal: NodeJS.Signals) => void) | undefined;
  const take = (signal: NodeJS.Signals) => {
    heard?.(signal);
    if (mustPassOn(signal, services)) kill?.(signal);
  };
  return withSignalHandler(take, async () => {
    try {
      const stdio: StdioOptions = onStderr ? ['inherit', 2, 2] : 'inherit';
      const child = spawn(started, words, { ...options, env, argv0: name, stdio });
      kill = (signal) => child.kill(signal);
      const { ended } = await whenStarted(child);
      return (await ended).code;
    } catch (error) {
      throw cannotRun(name, error, env);
    }
  });
}

/** Sends a signal; after SIGKILL nobody waits for what it wrote, which another process may hold open. */
export type Kill = (signal: NodeJS.Signals) => void;

interface Relayed extends Pick<Program, 'commandLine' | 'env'> {
  /** Takes a piece of its output; no more is read meanwhile. */
  readonly take: (piece: Buffer, isError: boolean) => Promise<void>;
}

/** Starts a program without input, which has ended once all that it wrote was taken. Throws usage as `runProgram`. */
export async function startRelayed({ commandLine, env, take }: Relayed) {
  const { spawn } = await import('node:child_process');
  const [name = '', ...args] = commandLine;
  const child = spawn(name, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const { ended } = await whenStarted(child).catch((error: unknown) => {
    throw cannotRun(name, error, env);
  });
  const streams = [child.stdout, child.stderr] as const;
  let isGivenUp = false;
  const kill: Kill = (signal) => {
    child.kill(signal);
    if (signal !== 'SIGKILL') return;
    isGivenUp = true;
    for (const stream of streams) stream.destroy();
  };
  const takeAll = async (stream: (typeof streams)[number]) => {
    try {
      for await (const piece of stream) await take(piece as Buffer, stream === child.stderr);
    } catch (error) {
      if (!isGivenUp || error instanceof CliError) throw error;
    }
  };
  return { kill, ended: Promise.all([ended, ...streams.map(takeAll)]).then(([end]) => end) };
}

async function whenStarted(child: ChildProcess) {
  const ended = new Promise<{ readonly code: number; readonly signal: NodeJS.Signals | null }>((resolve) => {
    // The code as a shell sees it.
    child.once('exit', (code, signal) =>
      resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGTERM'], signal }),
    );
  });
  // A later error is a signal that we may not send, for example to sudo; the program still runs.
  await new Promise((resolve, reject) => child.once('spawn', resolve).on('error', reject));
  return { ended };
}

const notFound = 'program not found';

function cannotRun(program: string, cause: unknown, env: Environment): CliError {
  const code = faultCode(cause);
  if (code === 'ENOENT') return notStarted(program, notFound, 127);
  if (code !== 'E2BIG') return notStarted(program, faultReason(cause), 126);
  return notStarted(program, 'its environment is too large', 126).with({ hint: `leave out ${largestOf(env)}` });
}

function notStarted(program: string, reason: string, exitCode: number): CliError {
  return new CliError('usage', `cannot run "${program}": ${reason}`, { exitCode });
}

function largestOf(env: Environment): string {
  const sizes = Object.entries(env).map(([name, value = '']) => ({ name, bytes: Buffer.byteLength(value) }));
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  return `variables; the largest is ${largest?.name} (${largest?.bytes} bytes)`;
}
