import { CliError } from '../errors/cli-error.ts';
import { type Environment, type Kill, type ProgramStart, startProgram } from './start.ts';

export interface ForegroundHost {
  /** Our environment without our credentials. */
  readonly env: Environment;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  /** True when one of our streams is a terminal: its Ctrl-C reaches the program without us. */
  readonly sharesTerminal: boolean;
  /** Hands signals to `take` while `work` runs; they end nothing else. */
  readonly withSignalHandler: WithSignalHandler;
  /** The exit code of a run that throws nothing. */
  readonly setExitCode: (code: number) => void;
}

export type WithSignalHandler = <Value>(
  take: (signal: NodeJS.Signals) => void,
  work: () => Promise<Value>,
) => Promise<Value>;

interface Program extends Pick<ProgramStart, 'commandLine' | 'env'> {
  /** The program writes its stdout to our stderr: our stdout is for data. */
  readonly toStderr?: true;
  /** Called with each signal that we get while it runs. */
  readonly onSignal?: (signal: NodeJS.Signals) => void;
}

export const terminalSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

export function mustPassOn(signal: NodeJS.Signals, { sharesTerminal }: ForegroundHost): boolean {
  return !(sharesTerminal && terminalSignals.includes(signal));
}

/**
 * Runs a program on our own streams and returns its exit code, 128 plus the number of the signal that ended it. Signals
 * are passed on, except those that the terminal sends to the program itself. Throws usage like `start`.
 */
export async function runProgram({ toStderr, onSignal, ...program }: Program, host: ForegroundHost): Promise<number> {
  const { env: searched, platform, withSignalHandler } = host;
  // Loaded before signals are for the program.
  await import('node:child_process');
  let kill: Kill | undefined;
  const take = (signal: NodeJS.Signals) => {
    onSignal?.(signal);
    if (mustPassOn(signal, host)) kill?.(signal);
  };
  return withSignalHandler(take, async () => {
    const started = await startProgram({ ...program, searched, platform }, toStderr ? ['inherit', 2, 2] : 'inherit');
    kill = started.kill;
    return (await started.exited).code;
  });
}

interface Relayed extends Pick<ProgramStart, 'commandLine' | 'env' | 'platform'> {
  /** Takes a piece of its output; reading waits for it. */
  readonly take: (piece: Buffer, isError: boolean) => Promise<void>;
}

/** Starts a program without input. `ended` waits until all its output was taken, except after SIGKILL. */
export async function startRelayed({ take, ...program }: Relayed) {
  const { child, kill: send, exited } = await startProgram(program, ['ignore', 'pipe', 'pipe']);
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  let isGivenUp = false;
  const kill: Kill = (signal) => {
    send(signal);
    if (signal !== 'SIGKILL') return;
    isGivenUp = true;
    // Another process may hold them open.
    for (const stream of streams) stream.destroy();
  };
  const takeAll = async (stream: (typeof streams)[number]) => {
    try {
      for await (const piece of stream) await take(piece as Buffer, stream === child.stderr);
    } catch (error) {
      if (!isGivenUp || error instanceof CliError) throw error;
    }
  };
  return { kill, ended: Promise.all([exited, ...streams.map(takeAll)]).then(([end]) => end) };
}
