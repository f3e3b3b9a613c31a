import type { CommandLine, Hint } from '../contract/command-line.ts';
import type { RecordType } from '../contract/record.ts';

/** A kind is the `code` of the JSON error. After `interrupted` the process ends by the signal itself. */
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
export type ErrorKind = keyof typeof exitCodes;

/** A shell reports these exit codes for a process that ended by a signal. */
export const exitCodesOfSignals: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

export interface ErrorDetails {
  /** The next step, without secrets. */
  readonly hint?: Hint | undefined;
  /** The corrected command is printed instead of the hint. */
  readonly correction?: Correction | undefined;
  /** The correction is looked for where the hint is made. */
  readonly unknownField?: UnknownField;
  readonly status?: number;
  /** The service's own words for a refusal. */
  readonly complaint?: string;
  /** The stack that the message begins with. */
  readonly stack?: string;
  /** The operation as the service's document names it, such as `PUT /stacks/:stack_id/application_variants/:id`. */
  readonly operation?: string;
  readonly requestId?: string;
  /** Set when the response may come from another host than the service. */
  readonly doubtsAddress?: boolean;
  /** The record that failed may be written by others: no hint repeats it. */
  readonly isUnverified?: true;
  /** Overrides the exit code of the kind: 1 when cancelled, or when some of several targets failed. */
  readonly exitCode?: number | undefined;
  /** Facts for the JSON error of an unknown outcome: request_sent, attempts, started_at. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Shows whether the change was applied, for the JSON error; null when no command can. */
  readonly check?: CommandLine | null;
  /** The records of a run that failed in part, for stdout. */
  readonly partial?: { readonly value: unknown } | undefined;
  /** The cause alone, for a message about a larger operation. */
  readonly why?: string | undefined;
  readonly cause?: unknown;
}

/** `nothing`, `attempts` and `lines` become part of the message. */
export interface CliErrorOptions extends ErrorDetails {
  /** Ends the message with "nothing was sent" or "nothing was changed". */
  readonly nothing?: 'sent' | 'changed' | undefined;
  /** Tries of the request; more than one are added to the message. */
  readonly attempts?: number;
  readonly lines?: readonly string[];
}

/** A name without a field in the record. */
export interface UnknownField {
  readonly typed: string;
  readonly record: RecordType;
}

/** Operations on the command that failed: flags to add, and words to replace. Without any it is run again. */
export interface Correction {
  /** Another command takes its words and flags. */
  readonly path?: string;
  /** A stack, server group or account is added to reads only; after a write the hint is printed instead. */
  readonly add?: readonly string[];
  readonly replace?: Replacement | readonly Replacement[];
}

export interface Replacement {
  /** An argument, the value of a flag, or the long spelling of a flag, which takes its value along. */
  readonly word: string;
  /** The new words; an empty list removes the word. */
  readonly by: readonly string[];
  /** The flag whose value it is: `--ttl`. Other values may be the same text. */
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
    const count = attempts > 1 ? ` (${attempts} attempts)` : '';
    const textWith = (promise: string) => [message + promise + count, ...lines].join('\n');
    super(textWith(nothing ? `; nothing was ${nothing}` : ''), details);
    this.name = 'CliError';
    this.kind = kind;
    this.fault = textWith('');
    this.details = details;
  }

  /** The cause alone, where it is known. */
  get why(): string {
    return this.details.why ?? this.fault;
  }

  /** Returns a copy with added or replaced details, or with another message. */
  with(details: CliErrorOptions, message = this.message): CliError {
    const copy = new CliError(this.kind, message, { ...this.details, ...details });
    return message === this.message ? Object.assign(copy, { fault: this.fault }) : copy;
  }
}

/** For a change that is refused before it is sent. */
export function refusal(message: string, hint?: Hint): CliError {
  return new CliError('rejected', message, { nothing: 'sent', hint });
}

/** For a flag without effect; its correction puts `instead` in its place. */
export function doesNotApplyError(flag: string, why: string, instead?: string): CliError {
  const [word = ''] = flag.split(' ');
  const correction = { replace: { word, by: instead === undefined ? [] : [instead] } };
  return new CliError('usage', `${flag} does not apply: ${why}`, { correction });
}

/** For a signal that came before the first change. */
export function interruptedError(): CliError {
  return new CliError('interrupted', 'interrupted', { nothing: 'changed' });
}

/** Returns the result of `work`, or the CliError that it throws. */
export function attempt<Value>(work: () => Value): Value | CliError {
  try {
    return work();
  } catch (error) {
    return expectCliError(error);
  }
}

/** For `.catch`: returns a CliError and rethrows any other error. */
export function expectCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  throw error;
}

/** Returns a CliError as it is; any other error becomes one of this kind. */
export function asCliError(error: unknown, kind: ErrorKind): CliError {
  return error instanceof CliError ? error : new CliError(kind, whyText(error));
}

/** Returns undefined when the service does not offer or allow the read. Rethrows other errors. */
export async function readOrUndefined<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    // Not found, not allowed or not supported: a retry would not help.
    if (error instanceof CliError && [403, 404, 405, 501].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

/** Returns undefined once the signal is aborted; the work continues unobserved. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const done = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { signal: done.signal });
  });
  return Promise.race([aborted, work]).finally(() => done.abort());
}

/**
 * Runs work that follows a sent request: reading back, describing, journal, output. The change is made whatever happens
 * here, so a failure is a warning beside the result.
 */
export async function tryOrWarn<Value>(
  warn: (line: string) => void,
  what: string,
  work: () => Promise<Value> | Value,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    warn(`${what}: ${whyText(error)}`);
    return undefined;
  }
}

/** The message of a CliError. Any other error is a bug, whose message tells an operator nothing. */
export function whyText(error: unknown): string {
  return error instanceof CliError ? error.message : 'a bug in stackops';
}

type Env = Readonly<Record<string, string | undefined>>;

/** Returns the command that unsets a variable in the shell of this environment. */
export function unsetLine(name: string, { OS, SHELL = '' }: Env): string {
  if (OS === 'Windows_NT') return `Remove-Item Env:${name}`;
  return SHELL.endsWith('/fish') ? `set -e ${name}` : `unset ${name}`;
}

export function clockLine(platform: string): string {
  if (platform.startsWith('win32')) return 'w32tm /resync';
  return platform.startsWith('darwin') ? 'sudo sntp -sS time.apple.com' : 'sudo timedatectl set-ntp true';
}

/** The hint for a certificate whose authority Node does not know. */
export const trustAuthorityHint =
  'set NODE_EXTRA_CA_CERTS to the CA certificate file; or, from Node 22.19, set NODE_USE_SYSTEM_CA=1 to use the system store';

/** `signal` is the name of the signal that caused `interrupted`. */
export function exitCodeOf({ kind, details }: CliError, signal?: unknown): number {
  const bySignal = kind === 'interrupted' ? exitCodesOfSignals[String(signal)] : undefined;
  return details.exitCode ?? bySignal ?? exitCodes[kind];
}
