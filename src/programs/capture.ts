import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { type CliError, interruptedError, unlessAborted, whyText } from '../errors/cli-error.ts';
import { type ProgramStart, startProgram } from './start.ts';

interface Capture extends ProgramStart {
  /** Given to the program; without it there is no stdin. */
  readonly input?: string;
  /** Reads stderr as well; otherwise it is thrown away. */
  readonly withStderr?: true;
  /** Takes the output; otherwise it is thrown away. */
  readonly take?: (part: Buffer, isError: boolean) => void;
  /** Ends the program, and its children where it leads a group. */
  readonly stop: AbortSignal;
  /** Ends the children that it leaves in its group, too. */
  readonly endsGroup?: true;
  /** True when the output is complete although a child of the ended program holds it open. */
  readonly isEnough?: () => boolean;
}

/** Between SIGTERM and SIGKILL: enough to turn the echo of the terminal on again. */
const graceMs = 500;

/** Reads the output of a program until it ends or is stopped; the code is null where it cannot be ended. Throws like `start`. */
export async function capture({
  input,
  withStderr,
  take = () => undefined,
  stop,
  endsGroup,
  isEnough = () => false,
  ...program
}: Capture) {
  const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', withStderr ? 'pipe' : 'ignore'] as const;
  const { child, kill } = await startProgram(program, [...stdio]);
  // A program that does not read it has not failed.
  child.stdin?.on('error', () => {}).end(input);
  child.stdout?.on('data', (part) => take(part, false));
  child.stderr?.on('data', (part) => take(part, true));
  const closed = new Promise((resolve) => child.once('close', resolve));
  const ended = Promise.race([closed, untilExit(child).then(() => (isEnough() ? undefined : closed))]);
  await unlessAborted(ended, stop);
  if (stop.aborted) {
    kill('SIGTERM');
    await atMost(graceMs, closed);
    // Children of the program may have ignored SIGTERM.
    kill('SIGKILL');
  } else if (endsGroup) kill('SIGKILL');
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  // A program that we may not signal, such as one of sudo, runs on without us.
  if (stop.aborted) await atMost(graceMs, closed);
  if (child.exitCode === null && child.signalCode === null) child.unref();
  return { code: child.exitCode, signal: child.signalCode };
}

/** Keeps the first bytes of the output of a program. */
export function keepFirstBytes(most: number) {
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

async function untilExit(child: ChildProcess): Promise<void> {
  await once(child, 'exit');
  // Output printed before the exit is read within two turns of the event loop.
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function atMost(ms: number, event: Promise<unknown>): Promise<void> {
  const done = new AbortController();
  await Promise.race([event, pause(ms, undefined, { signal: done.signal }).catch(() => undefined)]);
  done.abort();
}

/** The process for a program that the profile names; its environment holds none of our credentials. */
export interface ProgramHost extends Required<Pick<ProgramStart, 'env' | 'platform' | 'signalGroup' | 'folder'>> {
  readonly signal: AbortSignal;
  readonly deadline: (ms: number) => AbortSignal;
}

export interface ProgramRules {
  readonly limitMs: number;
  /** Limit of its stdout, and of its stderr as well where it is given `input`. */
  readonly mostBytes: number;
  /** The text of its stdin, which is otherwise empty. */
  readonly input?: string;
  /** The words for a program that exceeds its time: `printed no token`. */
  readonly late: string;
  /** Makes the error of a program that failed. `output` is its output, or its stderr if it printed none. */
  readonly fault: (message: string, output: string) => CliError;
}

/** Runs a program for a limited time and returns its output. Its stderr is thrown away unless it is given `input`. */
export async function runForOutput(
  { signal, deadline, ...host }: ProgramHost,
  { limitMs, mostBytes, input, late, fault }: ProgramRules,
  commandLine: readonly string[],
  label: string,
): Promise<string> {
  if (signal.aborted) throw interruptedError();
  const limit = deadline(limitMs);
  const tooMuch = new AbortController();
  let output = '';
  let errors = '';
  const take = (part: Buffer, isError: boolean) => {
    if (isError) errors += part.toString('latin1');
    else output += part.toString('latin1');
    if (output.length + errors.length > mostBytes) tooMuch.abort();
  };
  const stop = AbortSignal.any([signal, limit, tooMuch.signal]);
  const withInput = input !== undefined && ({ input, withStderr: true } as const);
  const program = { ...host, ...withInput, commandLine, label, take, stop, isEnough: () => output + errors !== '' };
  const end = await capture(program).catch((error: unknown) => {
    throw fault(whyText(error), '');
  });
  if (signal.aborted) throw interruptedError();
  if (tooMuch.signal.aborted) throw fault(`${label} printed more than ${mostBytes / 1024} KiB`, '');
  if (limit.aborted) throw fault(`${label} ${late} within ${limitMs / 1000} s`, '');
  if (end.code !== 0)
    throw fault(`${label} failed (${end.signal ?? `exit code ${end.code}`})`, output.trim() ? output : errors);
  return output;
}
