import type { Environment, WithSignalHandler } from '../contract/host.ts';
import { CliError } from '../errors/cli-error.ts';
import { type Kill, type ProgramStartOptions, startProgram } from './start.ts';

export interface ForegroundHost extends Pick<ProgramStartOptions, 'platform'> {
  /** Our environment without our credentials. */
  readonly env: Environment;
  /** True if one of our streams is a terminal. Ctrl-C in that terminal then reaches the program without us. */
  readonly sharesTerminal: boolean;
  /** Passes signals to `take` while `work` runs. Meanwhile, signals do not end our process. */
  readonly withSignalHandler: WithSignalHandler;
  /** Sets the exit code of our process, for a run that throws nothing. */
  readonly setExitCode: (code: number) => void;
}

interface ForegroundProgram extends Pick<ProgramStartOptions, 'commandLine' | 'env'> {
  /** True to send the program's stdout to our stderr, because our stdout is for data. */
  readonly toStderr?: true;
  /** Called with each signal that our process gets while the program runs. */
  readonly onSignal?: (signal: NodeJS.Signals) => void;
}

export const terminalSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT', 'SIGHUP'];

export function mustPassOnSignal(signal: NodeJS.Signals, { sharesTerminal }: ForegroundHost): boolean {
  return !(sharesTerminal && terminalSignals.includes(signal));
}

/**
 * Runs a program on our own streams. Returns its exit code, or 128 plus the number of the signal that ended it. Passes
 * our signals on to the program, except those that the terminal also sends to it. Throws like `startProgram`.
 */
export async function runProgram({ toStderr, onSignal, ...program }: ForegroundProgram, host: ForegroundHost) {
  const { env: searchEnv, platform, withSignalHandler } = host;
  const options = { ...program, searchEnv, platform };
  // The module is loaded before signals are handled, so that a signal still ends our process while it loads.
  await import('node:child_process');
  let kill: Kill | undefined;
  const handleSignal = (signal: NodeJS.Signals) => {
    onSignal?.(signal);
    if (mustPassOnSignal(signal, host)) kill?.(signal);
  };
  return withSignalHandler(handleSignal, async () => {
    const startedProgram = await startProgram(options, toStderr ? ['inherit', 2, 2] : 'inherit');
    kill = startedProgram.kill;
    return (await startedProgram.whenExited).code;
  });
}

interface RelayedProgram extends Pick<ProgramStartOptions, 'commandLine' | 'env' | 'platform'> {
  /** Receives one piece of output. The next piece is read when the returned promise has resolved. */
  readonly take: (piece: Buffer, isStderr: boolean) => Promise<void>;
}

/** Starts a program without stdin. `ended` resolves once all output is taken, or after SIGKILL without the rest. */
export async function startRelayedProgram({ take, ...program }: RelayedProgram) {
  const { child, kill: sendSignal, whenExited } = await startProgram(program, ['ignore', 'pipe', 'pipe']);
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  let wasKilled = false;
  const kill: Kill = (signal) => {
    sendSignal(signal);
    if (signal !== 'SIGKILL') return;
    wasKilled = true;
    // Another process may hold the streams open, so they would never end.
    for (const stream of streams) stream.destroy();
  };
  const relayStream = async (stream: (typeof streams)[number]) => {
    try {
      for await (const piece of stream) await take(piece as Buffer, stream === child.stderr);
    } catch (error) {
      if (!wasKilled || error instanceof CliError) throw error;
    }
  };
  return { kill, ended: Promise.all([whenExited, ...streams.map(relayStream)]).then(([end]) => end) };
}
