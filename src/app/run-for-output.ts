import type { Host } from '../cli/host.ts';
import { CliError, interrupted } from '../errors/cli-error.ts';
import { collectProgram, startFault } from '../files/captured-program.ts';

/** The process as a program of the profile may use it: its environment holds none of our credentials. */
export interface ProgramHost extends Pick<Host, 'env' | 'platform' | 'signal' | 'deadline' | 'signalGroup'> {
  readonly folder: string;
}

/** How a program is run, and what it is called not to do as it should. */
export interface ProgramRules {
  readonly limitMs: number;
  /** Of its stdout, and of its stderr where it is handed `input`. */
  readonly mostBytes: number;
  /** What it reads on stdin; without it nothing. */
  readonly input?: string;
  /** What it has not done when its time is over: `printed no token`. */
  readonly late: string;
  /** The error of one that failed, given what it printed before. */
  readonly fault: (message: string, output: string) => CliError;
}

/** Runs a program without a shell, for a limited time. Its stderr is thrown away unless it is handed `input`. */
export async function runForOutput(
  { signal, deadline, ...host }: ProgramHost,
  { limitMs, mostBytes, input, late, fault }: ProgramRules,
  commandLine: readonly string[],
  place: string,
): Promise<string> {
  const done = new AbortController();
  const stop = new AbortController();
  let output = '';
  const stopOn = (cause: AbortSignal, why: () => CliError) =>
    cause.addEventListener('abort', () => stop.abort(why()), { signal: done.signal });
  try {
    if (signal.aborted) throw interrupted();
    stopOn(signal, interrupted);
    stopOn(deadline(limitMs), () => fault(`${place} ${late} within ${limitMs / 1000} s`, ''));
    const take = (part: Buffer) => {
      output += part.toString('latin1');
      if (output.length > mostBytes) stop.abort(fault(`${place} printed more than ${mostBytes / 1024} KiB`, ''));
    };
    const end = await collectProgram(commandLine, {
      ...host,
      take,
      stop: stop.signal,
      isEnough: () => output !== '',
      ...(input !== undefined && { input, withStderr: true }),
    });
    if (stop.signal.aborted) throw stop.signal.reason;
    if (end.code !== 0) throw fault(`${place} failed (${end.signal ?? `exit code ${end.code}`})`, output);
    return output;
  } catch (error) {
    throw error instanceof CliError ? error : fault(`cannot run ${place}: ${startFault(error)}`, '');
  } finally {
    done.abort();
  }
}
