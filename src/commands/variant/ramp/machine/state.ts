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
  /** How many checks there are. */
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

export type RampEnd =
  /** `unsaved`: the state could not be saved before a request, so the request was not sent. */
  | { readonly kind: 'passed' | 'committed' | 'blind' | 'unsaved' }
  | { readonly kind: 'held'; readonly failure: CheckFailure }
  | ({ readonly kind: 'stopped' } & Stop)
  /** `at`: the share at which the check failed. */
  | { readonly kind: 'failed'; readonly failure: CheckFailure; readonly how: 'abort' | 'pause'; readonly at: number }
  /** Another user changed something: nothing was touched. `failure`: the reason of the rollback that was due. */
  | { readonly kind: 'changed'; readonly observed: string; readonly failure?: CheckFailure }
  /** The service refused a step; nothing was changed by it. */
  | { readonly kind: 'refused'; readonly cause: CliError }
  /** The service does not show the requested state. `active`: the canary became the active version. */
  | { readonly kind: 'unknown'; readonly what: Goal | 'active'; readonly why: string };

type Goal = 'step' | 'return' | 'commit';

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
  /** It is running, or its result waits for a read. */
  readonly isBusy?: boolean;
  /** The network works again: the next result counts. */
  readonly isRepeat?: boolean;
}

export interface Soaking {
  readonly phase: 'soaking';
  readonly step: number;
  readonly share: number;
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
  /** The last check that failed. */
  readonly failure?: CheckFailure | undefined;
  readonly question?: Ask | undefined;
  readonly isGranted?: boolean;
}

export type RampState =
  | Soaking
  | {
      readonly phase: 'setting';
      readonly step: number;
      /** The share that the service showed last. */
      readonly share: number;
      readonly question?: Ask | undefined;
      readonly requested?: Stop;
      /** The state to return to when nothing could be sent. */
      readonly before?: Soaking | undefined;
    }
  | { readonly phase: 'returning'; readonly share: number; readonly end: RampEnd }
  | { readonly phase: 'committing'; readonly share: number }
  | { readonly phase: 'ended'; readonly end: RampEnd; readonly share: number };

/** The result of a request: shown, not sent because the service could not be read, or the end of the ramp. */
export type SetOutcome = 'shown' | 'unread' | RampEnd;

export interface CheckEnd extends CheckFailure {
  readonly kind: 'checked';
  readonly run: number;
  readonly result: 'good' | 'failed' | 'held';
  /** It may be our network that failed. */
  readonly isNetwork?: boolean;
}

export type Event =
  | { readonly kind: 'tick' | 'slept' | 'interrupt' }
  | { readonly kind: 'set'; readonly outcome: SetOutcome }
  | CheckEnd
  | { readonly kind: 'read'; readonly run: number; readonly observed: 'same' | 'nothing' | RampEnd }
  | { readonly kind: 'answered'; readonly question: Ask; readonly answer: 'go' | 'pause' | 'abort' }
  | ({ readonly kind: 'stop' } & Stop);

export interface SetEffect {
  readonly kind: 'set';
  readonly from: number;
  readonly share: number;
  readonly why: Goal;
}

export type RampEffect =
  | SetEffect
  | { readonly kind: 'check'; readonly run: number; readonly check: number }
  | { readonly kind: 'read'; readonly run: number }
  | { readonly kind: 'ask'; readonly question: Ask }
  | { readonly kind: 'report'; readonly event: 'held' | 'resumed'; readonly failure: CheckFailure }
  | { readonly kind: 'report'; readonly event: 'step_passed'; readonly step: number };

export interface Next {
  readonly state: RampState;
  readonly effects: readonly RampEffect[];
}
