import type { CommandLine, Hint } from '../contract/command-line.ts';
import type { Environment } from '../contract/host.ts';
import type { RecordType } from '../contract/record.ts';

/** The exit code of each kind of error. The kind is the `code` of the JSON error. For signals see `exitCodeOf`. */
export const exitCodes = {
  usage: 2,
  not_found: 3,
  ambiguous: 3,
  unauthenticated: 4,
  forbidden: 5,
  rejected: 6,
  unavailable: 7,
  pending: 8,
  operation_failed: 9,
  differs: 10,
  outcome_unknown: 11,
  interrupted: 130,
  internal: 1,
} as const;
/** The kind of a `CliError`. In comments, Throws `usage` means: throws a `CliError` of the kind `usage`. */
export type ErrorKind = keyof typeof exitCodes;

/** The exit codes that a shell reports for a process that a signal ended. */
export const exitCodesOfSignals: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export interface ErrorDetails {
  /** The next step for the user. It holds no secrets. */
  readonly hint?: Hint | undefined;
  /** How to correct the failed command. The corrected command is printed instead of the hint. */
  readonly correction?: Correction | undefined;
  /** A typed name that is no field. The field that was probably meant is found when the error is printed. */
  readonly unknownField?: UnknownField;
  readonly status?: number;
  readonly serviceMessage?: string;
  /** The stack whose name begins the message. */
  readonly stack?: string;
  /** The operation as service.md names it, such as `PUT /stacks/:stack_id/application_variants/:id`. */
  readonly operation?: string;
  readonly requestId?: string;
  /** True when the response may come from another host than the service. */
  readonly doubtsAddress?: boolean;
  /** True when `history undo` cannot verify a journal entry: others may have written it, so no hint repeats it. */
  readonly isUnverifiedEntry?: true;
  /** Overrides the exit code of the kind: 1 when cancelled, or when some of several targets failed. */
  readonly exitCode?: number | undefined;
  /** Facts for the JSON error of an unknown outcome: request_sent, attempts, started_at. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** For the JSON error: the command that shows whether the change was applied; null when no command does. */
  readonly check?: CommandLine | null;
  /** The result of a run that failed in part, for stdout. */
  readonly partial?: { readonly value: unknown } | undefined;
  /** The cause without its context, for a message about a larger operation. */
  readonly why?: string | undefined;
  readonly cause?: unknown;
}

/** The details of an error, and three options that extend its message: `nothing`, `attempts` and `lines`. */
export interface CliErrorOptions extends ErrorDetails {
  /** Ends the message with "nothing was sent" or "nothing was changed". */
  readonly nothing?: 'sent' | 'changed' | undefined;
  /** The number of attempts at the request. The message mentions the number if it is above one. */
  readonly attempts?: number;
  /** Lines below the message. */
  readonly lines?: readonly string[];
}

export type UnknownField = { readonly typed: string; readonly recordType: RecordType };

/** Edits of the command that failed. An empty correction suggests the same command again. */
export interface Correction {
  /** The command to use instead, with the same arguments and flags. */
  readonly path?: string;
  /** Flags to add. A stack, server group or account is added only to a read; a write gets the hint instead. */
  readonly add?: readonly string[];
  readonly replace?: Replacement | readonly Replacement[];
}

export interface Replacement {
  /** The word to replace: an argument, a flag's value, or a long flag, which is replaced together with its value. */
  readonly word: string;
  /** The new words; an empty list removes the word. */
  readonly by: readonly string[];
  /** The flag whose value is `word`, such as `--ttl`. It is set where other flags may have the same value. */
  readonly at?: string;
}

/** Every expected failure is a CliError; any other error is a bug. */
export class CliError extends Error {
  readonly kind: ErrorKind;
  /** The message without "nothing was sent", for a run that has sent another change. */
  readonly fault: string;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, options: CliErrorOptions = {}) {
    const { nothing, attempts = 1, lines = [], ...details } = options;
    const attemptsText = attempts > 1 ? ` (${attempts} attempts)` : '';
    const textWith = (suffix: string) => [message + suffix + attemptsText, ...lines].join('\n');
    super(textWith(nothing ? `; nothing was ${nothing}` : ''), details);
    this.name = 'CliError';
    this.kind = kind;
    this.fault = textWith('');
    this.details = details;
  }

  /** The cause without its context, if it is known; otherwise the same as `fault`. */
  get why(): string {
    return this.details.why ?? this.fault;
  }

  with(details: CliErrorOptions, message = this.message): CliError {
    const copy = new CliError(this.kind, message, { ...this.details, ...details });
    return message === this.message ? Object.assign(copy, { fault: this.fault }) : copy;
  }
}

export function refusedChangeError(message: string, hint?: Hint): CliError {
  return new CliError('rejected', message, { nothing: 'sent', hint });
}

/** Returns the error for a flag without effect. Its correction replaces the flag by `instead`, or removes the flag. */
export function unusedFlagError(flag: string, why: string, instead?: string): CliError {
  const [word = ''] = flag.split(' ');
  const correction = { replace: { word, by: instead === undefined ? [] : [instead] } };
  return new CliError('usage', `${flag} does not apply: ${why}`, { correction });
}

/** Returns the error for a signal that came before the first change. */
export function interruptedError(): CliError {
  return new CliError('interrupted', 'interrupted', { nothing: 'changed' });
}

export function attempt<Value>(work: () => Value): Value | CliError {
  try {
    return work();
  } catch (error) {
    return expectCliError(error);
  }
}

/** Returns a CliError and rethrows any other error. Used as the argument of `.catch`. */
export function expectCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** Returns an argument for `.catch` that throws what `replace` makes of a CliError, and rethrows any other error. */
export function rethrowAs(replace: (error: CliError) => CliError | Promise<CliError>) {
  return async (error: unknown): Promise<never> => {
    throw error instanceof CliError ? await replace(error) : error;
  };
}

/** Returns an argument for `.catch` that converts the partial result of a CliError. */
export function rethrowWithPartial<Value>(convert: (value: Value) => unknown) {
  return rethrowAs(async (error) => {
    const { partial } = error.details;
    return partial ? error.with({ partial: { value: await convert(partial.value as Value) } }) : error;
  });
}

/** Returns a CliError as it is. Any other error becomes a CliError of this kind. */
export function asCliError(error: unknown, kind: ErrorKind): CliError {
  return error instanceof CliError ? error : new CliError(kind, whyText(error));
}

/** Returns the result of a read; undefined if the service does not offer or allow it. Rethrows other errors. */
export async function readOrUndefined<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    // 403 is not allowed, 404 not found, 405 and 501 not supported.
    if (error instanceof CliError && [403, 404, 405, 501].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

/** Returns the result of `work`, or undefined once the signal is aborted. The work then continues unobserved. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const raceEnd = new AbortController();
  const whenAborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: raceEnd.signal });
  });
  return Promise.race([whenAborted, work]).finally(() => raceEnd.abort());
}

/** Runs work that follows a sent change, such as printing. The change is made already, so a failure only warns. */
export async function tryOrWarn<Value>(
  warn: (line: string) => void,
  failureText: string,
  work: () => Promise<Value> | Value,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    warn(`${failureText}: ${whyText(error)}`);
    return undefined;
  }
}

/** Returns the message of a CliError. Any other error is a bug, and its message would tell a user nothing. */
export function whyText(error: unknown): string {
  return error instanceof CliError ? error.message : 'a bug in stackops';
}

export function unsetLine(name: string, { OS, SHELL = '' }: Environment): string {
  if (OS === 'Windows_NT') return `Remove-Item Env:${name}`;
  return SHELL.endsWith('/fish') ? `set -e ${name}` : `unset ${name}`;
}

export function syncClockCommand(platform: string): string {
  if (platform.startsWith('win32')) return 'w32tm /resync';
  return platform.startsWith('darwin') ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true';
}

export const trustAuthorityHint =
  'set NODE_EXTRA_CA_CERTS to the CA certificate file; or, from Node 22.19, set NODE_USE_SYSTEM_CA=1 to use the system store';

/** Returns the exit code of an error. `signal` is the name of the signal that caused `interrupted`. */
export function exitCodeOf({ kind, details }: CliError, signal?: unknown): number {
  const signalExitCode = kind === 'interrupted' ? exitCodesOfSignals[String(signal)] : undefined;
  return details.exitCode ?? signalExitCode ?? exitCodes[kind];
}
