import type { CliError } from '../../../../errors/cli-error.ts';

/** The input of a ramp; times in milliseconds. */
export interface Rules {
  /** Shares of traffic, ascending. */
  readonly steps: readonly number[];
  readonly everyMs: number;
  readonly intervalMs: number;
  readonly initialDelayMs: number;
  readonly minChecks: number;
  readonly failureLimit: number;
  readonly holdLimitMs: number;
  readonly onFailure: 'abort' | 'pause';
  readonly abortTo: number;
  readonly confirmSteps: boolean;
  readonly commit: boolean;
  /** The number of checks. */
  readonly checks: number;
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
export type Ask = 'step' | 'stop';
export interface Stop {
  readonly how: 'pause' | 'abort';
  readonly by: Signal | 'request' | 'answer';
}

/** A result that was not good. */
export interface CheckFailure {
  /** Index in the list of checks. */
  readonly check: number;
  readonly reason: string;
  /** The last lines that the check printed. */
  readonly output?: readonly string[] | undefined;
}

export interface Traffic {
  /** The share that the service showed last. */
  readonly share: number;
  /** The share of a request whose result is unknown. */
  readonly mayHave?: number | undefined;
}

export type RampEnd =
  /** `returned`: by `--abort` of a stopped ramp. `unsaved`: nothing was sent, because the state could not be saved. */
  | { readonly kind: 'passed' | 'committed' | 'returned' | 'unreachable' | 'unsaved' }
  | { readonly kind: 'held'; readonly failure: CheckFailure }
  | ({ readonly kind: 'stopped' } & Stop)
  /** `at`: the share at which the check failed. */
  | { readonly kind: 'failed'; readonly failure: CheckFailure; readonly how: 'abort' | 'pause'; readonly at: number }
  /** Another user changed something: nothing was touched. */
  | { readonly kind: 'changed'; readonly observed: string; readonly failure?: CheckFailure | undefined }
  /** The service refused a step; nothing was changed by it. */
  | { readonly kind: 'refused'; readonly cause: CliError }
  /** The service does not show the requested state. `active`: the canary became the active version. */
  | {
      readonly kind: 'unknown';
      readonly what: Goal | 'active';
      readonly why: string;
      readonly failure?: CheckFailure | undefined;
    };

export type Goal = 'step' | 'return' | 'commit';

/** The results of one check since the share was changed. */
export interface CheckStats {
  readonly good: number;
  readonly failed: number;
  readonly held: number;
  readonly last?: 'good' | 'failed' | 'held' | 'unreachable';
  readonly failure?: CheckFailure | undefined;
  /** The time of the first held or unreachable result after the last good one. */
  readonly heldMs?: number | undefined;
  readonly dueMs: number;
  /** The check is running, or its result waits for a read. */
  readonly isBusy?: boolean;
  /** The network works again: the next result counts. */
  readonly isRepeat?: boolean;
}

export interface Soaking extends Traffic {
  readonly phase: 'soaking';
  /** Index of the step; -1 before the first one. */
  readonly step: number;
  readonly sinceMs: number;
  /** Results of an earlier run do not count. */
  readonly run: number;
  readonly stats: readonly CheckStats[];
  readonly isReading: boolean;
  readonly readMs: number;
  /** The time since which the service cannot be read. */
  readonly unreadMs?: number | undefined;
  /** Failures that our own network may have caused: a read decides. */
  readonly suspects: readonly CheckFailure[];
  readonly failure?: CheckFailure | undefined;
  readonly question?: Ask | undefined;
  readonly isGranted?: boolean;
}

/** The share of a step is set, or the canary is committed. */
export interface SettingShare {
  readonly share: number;
  readonly phase: 'setting' | 'committing';
  readonly step: number;
  /** The number of requests that may have been carried out. */
  readonly sends: number;
  readonly question?: Ask | undefined;
  /** A stop that waits for the end of the current request. */
  readonly requested?: Stop | undefined;
  /** The state to return to while the service cannot be read. */
  readonly before: Soaking;
}

/** The traffic is taken back, in as many tries as it takes. */
export interface Returning extends Traffic {
  readonly phase: 'returning';
  /** The number of requests that may have been carried out. */
  readonly sends: number;
  readonly tries: number;
  readonly sinceMs: number;
  /** The time of the next try; undefined while one is under way. */
  readonly dueMs?: number | undefined;
  /** The end, once the share is shown. */
  readonly end: RampEnd;
}

export interface Ended extends Traffic {
  readonly phase: 'ended';
  readonly end: RampEnd;
}

export type RampState = Soaking | SettingShare | Returning | Ended;

/**
 * The result of one try. `rejected`: not carried out. `unread`: nothing was sent, because the service could not be reached.
 * `old`: the old share is still shown. `unseen`: sent, and the service could not be read since.
 */
export interface Missed {
  readonly kind: 'rejected' | 'unread' | 'old' | 'unseen';
  readonly cause: CliError;
  /** Milliseconds for which the service wants no request. */
  readonly waitMs: number;
}

export type SetOutcome = { readonly kind: 'shown'; readonly share: number } | Missed | RampEnd;

export interface CheckEnd extends CheckFailure {
  readonly kind: 'checked';
  readonly run: number;
  readonly result: 'good' | 'failed' | 'held';
  /** Our own network may have failed. */
  readonly isNetwork?: boolean;
}

/** The share, or the end of the ramp; or the service could not be read. */
export type ReadOutcome =
  | { readonly kind: 'same'; readonly share: number }
  | { readonly kind: 'nothing'; readonly waitMs: number }
  | RampEnd;

export type Event =
  | { readonly kind: 'tick' | 'slept' | 'interrupt' }
  | { readonly kind: 'set'; readonly outcome: SetOutcome }
  | CheckEnd
  | { readonly kind: 'read'; readonly run: number; readonly observed: ReadOutcome }
  | { readonly kind: 'answered'; readonly question: Ask; readonly answer: 'go' | 'pause' | 'abort' }
  | ({ readonly kind: 'stop' } & Stop);

export interface SetEffect {
  readonly kind: 'set';
  readonly why: Goal;
  readonly from: Traffic;
  readonly share: number;
  /** The number of earlier requests for the same share, which may be carried out late. */
  readonly sends: number;
}

export type RampEffect =
  | SetEffect
  | { readonly kind: 'check'; readonly run: number; readonly check: number }
  | { readonly kind: 'read'; readonly run: number }
  | { readonly kind: 'ask'; readonly question: Ask }
  | { readonly kind: 'report'; readonly event: 'held' | 'resumed'; readonly failure: CheckFailure }
  | { readonly kind: 'report'; readonly event: 'step_passed'; readonly step: number }
  | { readonly kind: 'report'; readonly event: 'return_failed'; readonly reason: string; readonly waitMs: number };

export interface Next {
  readonly state: RampState;
  readonly effects: readonly RampEffect[];
}
