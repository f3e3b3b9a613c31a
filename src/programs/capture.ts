import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { type CliError, interruptedError, unlessAborted, whyText } from '../errors/cli-error.ts';
import { type ProgramStartOptions, startProgram } from './start.ts';

interface CaptureOptions extends ProgramStartOptions {
  /** The text for the stdin of the program, which is otherwise empty. */
  readonly input?: string | undefined;
  /** True to read stderr, too. Otherwise stderr is thrown away. */
  readonly withStderr?: boolean;
  /** Receives each piece of the output. By default the output is thrown away. */
  readonly take?: (part: Buffer, isStderr: boolean) => void;
  /** Aborted to end the program, and its children if it leads a process group. */
  readonly stop: AbortSignal;
  /** True to end the children that the program leaves in its process group. */
  readonly endsGroup?: true;
  /** Called after the program has ended. Returns true if the output is complete, even if a child holds it open. */
  readonly isEnough?: () => boolean;
}

/** Milliseconds between SIGTERM and SIGKILL, enough for a program to turn on the echo of the terminal again. */
const graceMs = 500;

/** Runs until the program ends or is stopped. Code and signal: null if we cannot end it. Throws like `startProgram`. */
export async function capture(options: CaptureOptions) {
  const { input, withStderr, take, stop, endsGroup, isEnough, ...program } = options;
  const stdio: StdioOptions = [input === undefined ? 'ignore' : 'pipe', 'pipe', withStderr ? 'pipe' : 'ignore'];
  const { child, kill } = await startProgram(program, stdio);
  // An error of stdin is ignored, because a program that does not read its stdin has not failed.
  child.stdin?.on('error', () => {}).end(input);
  child.stdout?.on('data', (part) => take?.(part, false));
  child.stderr?.on('data', (part) => take?.(part, true));
  const whenClosed = new Promise((resolve) => child.once('close', resolve));
  const whenEnded = Promise.race([whenClosed, waitForExit(child).then(() => (isEnough?.() ? undefined : whenClosed))]);
  await unlessAborted(whenEnded, stop);
  if (stop.aborted) {
    kill('SIGTERM');
    await unlessAborted(whenClosed, AbortSignal.timeout(graceMs));
    // The program or its children may have ignored SIGTERM, so SIGKILL follows.
    kill('SIGKILL');
  } else if (endsGroup) kill('SIGKILL');
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  // We may not signal some programs, such as those that sudo runs. They run on without us.
  if (stop.aborted) await unlessAborted(whenClosed, AbortSignal.timeout(graceMs));
  if (child.exitCode === null && child.signalCode === null) child.unref();
  return { code: child.exitCode, signal: child.signalCode };
}

/** Collects the first `maxBytes` bytes of the output of a program. */
export function createBoundedBuffer(maxBytes: number) {
  const pieces: Buffer[] = [];
  let printedBytes = 0;
  return {
    add: (piece: Buffer): void => {
      if (printedBytes < maxBytes) pieces.push(piece.subarray(0, maxBytes - printedBytes));
      printedBytes += piece.length;
    },
    bytes: () => Buffer.concat(pieces),
    isTruncated: () => printedBytes > maxBytes,
  };
}

async function waitForExit(child: ChildProcess): Promise<void> {
  await once(child, 'exit');
  // Node reads the output that was printed before the exit within two turns of the event loop.
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Parts of our process for a program that the profile names. `env` holds none of our credentials. */
export interface ProgramHost
  extends Required<Pick<ProgramStartOptions, 'env' | 'platform' | 'signalGroup' | 'folder'>> {
  readonly signal: AbortSignal;
  readonly deadline: (ms: number) => AbortSignal;
}

export interface ProgramRules {
  readonly limitMs: number;
  /** Maximum size of stdout, or of stdout and stderr together if there is `input`. */
  readonly mostBytes: number;
  /** The text for stdin. If undefined, stdin is empty and stderr is thrown away. */
  readonly input?: string;
  /** The verb and object in the error for a program that exceeds `limitMs`: `printed no token`. */
  readonly lateText: string;
  /** Creates the error for a failed program. `output` is its stdout, or stderr if stdout is blank; empty if stopped. */
  readonly createError: (message: string, output: string) => CliError;
}

/** Runs a program for a limited time and returns its stdout. Throws `interrupted`, or an error of `createError`. */
export async function runForOutput(
  { signal, deadline, ...host }: ProgramHost,
  { limitMs, mostBytes, input, lateText, createError }: ProgramRules,
  commandLine: readonly string[],
  label: string,
): Promise<string> {
  if (signal.aborted) throw interruptedError();
  const timeLimitSignal = deadline(limitMs);
  const overflowController = new AbortController();
  const output = { stdout: '', stderr: '' };
  const take = (part: Buffer, isStderr: boolean) => {
    output[isStderr ? 'stderr' : 'stdout'] += part.toString('latin1');
    if (output.stdout.length + output.stderr.length > mostBytes) overflowController.abort();
  };
  const stop = AbortSignal.any([signal, timeLimitSignal, overflowController.signal]);
  const isEnough = () => output.stdout + output.stderr !== '';
  const program = { ...host, commandLine, label, input, withStderr: input !== undefined, take, stop, isEnough };
  const { code, signal: killSignal } = await capture(program).catch((error: unknown) => {
    throw createError(whyText(error), '');
  });
  if (signal.aborted) throw interruptedError();
  if (overflowController.signal.aborted) throw createError(`${label} printed more than ${mostBytes / 1024} KiB`, '');
  if (timeLimitSignal.aborted) throw createError(`${label} ${lateText} within ${limitMs / 1000} s`, '');
  const { stdout, stderr } = output;
  if (code === 0) return stdout;
  throw createError(`${label} failed (${killSignal ?? `exit code ${code}`})`, stdout.trim() ? stdout : stderr);
}
