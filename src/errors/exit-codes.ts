import { type CliError, exitCodes } from './cli-error.ts';

/** A shell reports these exit codes for a process that ended by a signal. */
export const exitCodesOfSignals: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** `signal` is the name of the signal that caused `interrupted`. */
export function exitCodeOf({ kind, details }: CliError, signal?: unknown): number {
  const bySignal = kind === 'interrupted' ? exitCodesOfSignals[String(signal)] : undefined;
  return details.exitCode ?? bySignal ?? exitCodes[kind];
}

/** The meaning of every code, as printed by `help exit-codes` and `docs/ci.md`. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'success, also with an empty list, nothing to change, or a closed pipe'],
  [1, 'any other failure; cancelled; some of several targets failed (11 when the outcome of any is unknown)'],
  [2, 'wrong usage: argument, flag, value, prompt without a terminal, unreadable configuration'],
  [3, 'not found (404), or a name that matches nothing or more than one resource'],
  [4, 'not signed in, token rejected (401), sign-in denied'],
  [5, 'access denied (403): the message names the scope the command needs; or read-only, or not approved'],
  [6, 'refused by the service (400, 409, 422)'],
  [7, 'service unreachable or failing, nothing changed; or connection lost while waiting: the operation may continue'],
  [8, 'still pending, or the result cannot be observed'],
  [9, 'the operation failed; or `backup check` or `status --exit-code` found a problem'],
  [10, 'differences found, with --exit-code; `env check`: missing or empty'],
  [11, 'request sent, no response: outcome unknown'],
  [126, 'the program to run cannot be executed, or its environment is too large'],
  [127, 'the program to run was not found'],
  [129, 'ended by a hang-up (SIGHUP)'],
  [130, 'interrupted by Ctrl-C (SIGINT)'],
  [143, 'terminated (SIGTERM)'],
];
