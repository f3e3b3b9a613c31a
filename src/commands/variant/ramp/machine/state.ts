import type { CliError } from '../../../../errors/cli-error.ts';

/** What a ramp was asked to do; times in milliseconds. */
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

/** One check that was not good. */
export interface CheckFailure {
  readonly check: number;
  readonly said: string;
}

export type RampEnd =
  /** `unsaved`: what it was about to do could not be written down, and was not done. */
  | { readonly kind: 'passed' | 'committed' | 'blind' | 'unsaved' }
  | { readonly kind: 'held'; readonly bad: CheckFailure }
  | ({ readonly kind: 'stopped' } & Stop)
  /** `at`: the share at which the check failed. */
  | { readonly kind: 'failed'; readonly bad: CheckFailure; readonly how: 'abort' | 'pause'; readonly at: number }
  /** Somebody else changed something: nothing was touched. `bad`: what the traffic was to be taken back for. */
  | { readonly kind: 'changed'; readonly seen: string; readonly bad?: CheckFailure }
  /** The service refused a step; nothing was changed by it. */
  | { readonly kind: 'refused'; readonly cause: CliError }
  /** It is not known, or not as wanted, what the service shows. `active`: the canary became the active version. */
  | { readonly kind: 'unknown'; readonly what: Goal | 'active'; readonly why: string };

type Goal = 'step' | 'return' | 'commit';

/** The results of one check since the share was changed. */
export interface CheckStats {
  readonly good: number;
  readonly failed: number;
  readonly held: number;
  readonly last?: 'good' | 'failed' | 'held' | 'blind';
  readonly said: string;
  /** Since the first held or blind result after the last good one. */
  readonly heldMs?: number | undefined;
  readonly dueMs: number;
  /** A run is under way, or its result waits for a read. */
  readonly isBusy?: boolean;
  /** The network was seen to work again: the next result counts. */
  readonly isRepeat?: boolean;
}

export interface Soaking {
  readonly phase: 'soaking';
  readonly step: number;
  readonly share: number;
  readonly sinceMs: number;
  /** Results of checks and reads that were begun for an earlier one do not count. */
  readonly run: number;
  readonly stats: readonly CheckStats[];
  readonly isReading: boolean;
  readonly readMs: number;
  /** Since when the service cannot be read. */
  readonly unreadMs?: number | undefined;
  /** Failures that may be those of our network: a read decides. */
  readonly suspects: readonly CheckFailure[];
  /** The last check that failed. */
  readonly bad?: CheckFailure | undefined;
  readonly question?: Ask | undefined;
  readonly isGranted?: boolean;
}

export type RampState =
  | Soaking
  | {
      readonly phase: 'setting';
      readonly step: number;
      /** What the service showed last. */
      readonly share: number;
      readonly question?: Ask | undefined;
      readonly wanted?: Stop;
      /** Where it goes on when nothing could be sent. */
      readonly before?: Soaking | undefined;
    }
  | { readonly phase: 'returning'; readonly share: number; readonly end: RampEnd }
  | { readonly phase: 'committing'; readonly share: number }
  | { readonly phase: 'ended'; readonly end: RampEnd; readonly share: number };

/** What was seen of a request: it is shown, nothing could be sent as the service could not be read, or why the ramp ends. */
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
  | { readonly kind: 'read'; readonly run: number; readonly seen: 'same' | 'nothing' | RampEnd }
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
  | { readonly kind: 'tell'; readonly event: 'held' | 'resumed'; readonly bad: CheckFailure }
  | { readonly kind: 'tell'; readonly event: 'step_passed'; readonly step: number };

export interface Next {
  readonly state: RampState;
  readonly effects: readonly RampEffect[];
}
