import type { Problem, ProblemKind } from './problem.ts';

/** Kind of problem to exit code; `interrupted` ends by raising the signal again and its code is only told. */
export const exitCodes: Readonly<Record<ProblemKind, number>> = {
  usage: 2,
  not_found: 3,
  ambiguous: 3,
  unauthenticated: 4,
  forbidden: 5,
  rejected: 6,
  unavailable: 7,
  pending: 8,
  operation_failed: 9,
  outcome_unknown: 11,
  interrupted: 130,
  internal: 1,
};

/** What a shell sees of a process that ended by a signal. */
const exitCodesOfSignals: Readonly<Record<string, number>> = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** What the process returns for a problem; of one that was interrupted, `signal` is the name of what did it. */
export function exitCodeOf({ kind, details }: Problem, signal?: unknown): number {
  const bySignal = kind === 'interrupted' ? exitCodesOfSignals[String(signal)] : undefined;
  return details.exitCode ?? bySignal ?? exitCodes[kind];
}

/** The meaning of every code, as printed by `help exit-codes` and `docs/ci.md`. */
export const exitMeanings: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done; also an empty list, nothing to change, the reader closed the pipe'],
  [
    1,
    'any failure not named below; answered No; part of a multi-target run failed (11 when the outcome of any part is unknown)',
  ],
  [2, 'wrong usage: words, flags, values, a prompt needed but no terminal, unreadable configuration'],
  [3, 'not found: 404, or a name that matches nothing or more than one thing'],
  [4, 'not signed in, token refused (401), consent refused'],
  [5, 'forbidden (403): the message names the scope the command needs'],
  [6, 'refused by the service (400, 409, 422)'],
  [7, 'service unreachable or broken, and nothing changed; or lost while waiting: what was sent goes on'],
  [8, 'still pending'],
  [9, 'the remote operation finished and failed'],
  [11, 'outcome unknown: a change was sent and no trustworthy answer came back'],
  [129, 'ended by a hang-up'],
  [130, 'interrupted by Ctrl-C'],
  [143, 'interrupted by SIGTERM'],
];
