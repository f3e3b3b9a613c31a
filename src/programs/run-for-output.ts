import { type CliError, interrupted } from '../errors/cli-error.ts';
import { whyText } from '../errors/try-or-warn.ts';
import { capture } from './capture.ts';
import type { ProgramStart } from './start.ts';

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
  /** The error of a program that failed, with its output until then; of one that printed none, with its stderr. */
  readonly fault: (message: string, output: string) => CliError;
}

/** Runs a program for a limited time and returns its output. Its stderr is thrown away unless it is given `input`. */
export async function runForOutput(
  { signal, deadline, ...host }: ProgramHost,
  { limitMs, mostBytes, input, late, fault }: ProgramRules,
  commandLine: readonly string[],
  label: string,
): Promise<string> {
  if (signal.aborted) throw interrupted();
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
  if (signal.aborted) throw interrupted();
  if (tooMuch.signal.aborted) throw fault(`${label} printed more than ${mostBytes / 1024} KiB`, '');
  if (limit.aborted) throw fault(`${label} ${late} within ${limitMs / 1000} s`, '');
  if (end.code !== 0) throw fault(`${label} failed (${end.signal ?? `exit code ${end.code}`})`, output.trim() ? output : errors);
  return output;
}
