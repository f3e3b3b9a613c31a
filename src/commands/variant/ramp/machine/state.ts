import type { CliError } from '../../../../errors/cli-error.ts';

/** The options of a ramp as the state machine needs them. Times are in milliseconds. */
export interface RampRules {
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
  readonly checkCount: number;
}

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';
export type QuestionKind = 'step' | 'stop';
export interface StopRequest {
  readonly how: 'pause' | 'abort';
  readonly by: Signal | 'request' | 'answer';
}

/** The report of a check whose result was not good. */
export interface CheckFailure {
  /** Index in the list of checks. */
  readonly check: number;
  readonly reason: string;
  readonly output?: readonly string[] | undefined;
}

export interface Traffic {
  /** The share that the service showed last. */
  readonly share: number;
  /** The share of a request whose result is unknown; undefined if there is no such request. */
  readonly mayHave?: number | undefined;
}

type StoppedEnd = StopRequest & { readonly kind: 'stopped' };

interface FailedEnd {
  readonly kind: 'failed';
  readonly failure: CheckFailure;
  readonly how: 'abort' | 'pause';
  /** The share at which the check failed. */
  readonly at: number;
}

export type RampEnd =
  /** `returned`: `--abort` took the traffic of a stopped ramp back. `unsaved`: nothing was sent, as saving failed. */
  | { readonly kind: 'passed' | 'committed' | 'returned' | 'unreachable' | 'unsaved' }
  | { readonly kind: 'held'; readonly failure: CheckFailure }
  | StoppedEnd
  | FailedEnd
  /** Another user changed something, so the ramp ended without another request. */
  | { readonly kind: 'changed'; readonly observed: string; readonly failure?: CheckFailure | undefined }
  /** The service refused a request, which changed nothing. */
  | { readonly kind: 'refused'; readonly cause: CliError }
  /** The service does not show the result of a request. `active`: the canary became the active version instead. */
  | {
      readonly kind: 'unknown';
      readonly what: RequestPurpose | 'active';
      readonly why: string;
      readonly failure?: CheckFailure | undefined;
    };

export type RequestPurpose = 'step' | 'return' | 'commit';

/** The results of one check since the step began. */
export interface CheckStats {
  readonly good: number;
  readonly failed: number;
  readonly held: number;
  readonly last?: 'good' | 'failed' | 'held' | 'unreachable';
  readonly failure?: CheckFailure | undefined;
  /** The time of the first held or unreachable result after the last good result, else undefined. */
  readonly heldSinceMs?: number | undefined;
  readonly dueMs: number;
  /** True while the check runs, and after its failure until the canary is read. */
  readonly isBusy?: boolean;
  /** True if the check runs again after our network failed. Its next failure counts without another read. */
  readonly isRepeat?: boolean;
}

export interface Soaking extends Traffic {
  readonly phase: 'soaking';
  /** Index of the step; -1 before the first step. */
  readonly step: number;
  readonly sinceMs: number;
  /** Number of the current run of the checks. Results of other runs are ignored. */
  readonly run: number;
  readonly stats: readonly CheckStats[];
  readonly isReading: boolean;
  readonly readMs: number;
  /** The time since which the service cannot be read; undefined if it can be read. */
  readonly unreadSinceMs?: number | undefined;
  /** Failures that our own network may have caused. They count if the next read succeeds. */
  readonly suspects: readonly CheckFailure[];
  readonly failure?: CheckFailure | undefined;
  readonly question?: QuestionKind | undefined;
  readonly isGranted?: boolean;
}

/** The state while the share of a step is being set, or the canary is being committed. */
export interface SettingShareState {
  readonly share: number;
  readonly phase: 'setting' | 'committing';
  readonly step: number;
  /** The number of requests that may have been carried out. */
  readonly sends: number;
  readonly question?: QuestionKind | undefined;
  /** A stop that waits for the end of the current request. */
  readonly requested?: StoppedEnd | undefined;
  /** The state to return to if the service cannot be read. */
  readonly before: Soaking;
}

/** The state while the traffic is being taken back, with repeated tries. */
export interface Returning extends Traffic {
  readonly phase: 'returning';
  readonly sends: number;
  readonly tries: number;
  readonly sinceMs: number;
  /** The time of the next try; undefined while a try is under way. */
  readonly dueMs?: number | undefined;
  /** How the ramp ends once the service shows the share after the return. */
  readonly end: RampEnd;
}

export interface EndedState extends Traffic {
  readonly phase: 'ended';
  readonly end: RampEnd;
}

export type RampState = Soaking | SettingShareState | Returning | EndedState;

/**
 * A try to set the share that the service does not confirm. `rejected`: the service refused it. `unread`: nothing was
 * sent, because the service could not be reached. `old`: the service still shows the old share. `unseen`: the service
 * may have carried out the request, but no later read succeeded.
 */
export interface MissedTry {
  readonly kind: 'rejected' | 'unread' | 'old' | 'unseen';
  readonly cause: CliError;
  /** Milliseconds for which the service wants no request. */
  readonly waitMs: number;
}

export type SetOutcome = { readonly kind: 'shown'; readonly share: number } | MissedTry | RampEnd;

export interface CheckEnd extends CheckFailure {
  readonly kind: 'checked';
  readonly run: number;
  readonly result: 'good' | 'failed' | 'held';
  readonly isNetwork?: boolean;
}

/** The result of a read. `same`: only the ramp changed the traffic. `nothing`: the service could not be read. */
export type ReadOutcome =
  | { readonly kind: 'same'; readonly share: number }
  | { readonly kind: 'nothing'; readonly waitMs: number }
  | RampEnd;

export type Event =
  | { readonly kind: 'tick' | 'slept' | 'interrupt' }
  | { readonly kind: 'set'; readonly outcome: SetOutcome }
  | CheckEnd
  | { readonly kind: 'read'; readonly run: number; readonly observed: ReadOutcome }
  | { readonly kind: 'answered'; readonly question: QuestionKind; readonly answer: 'go' | 'pause' | 'abort' }
  | ({ readonly kind: 'stop' } & StopRequest);

export interface SetEffect {
  readonly kind: 'set';
  readonly why: RequestPurpose;
  readonly from: Traffic;
  readonly share: number;
  /** The number of earlier requests for the same share, which may be carried out late. */
  readonly sends: number;
}

export type RampEffect =
  | SetEffect
  | { readonly kind: 'check'; readonly run: number; readonly check: number }
  | { readonly kind: 'read'; readonly run: number }
  | { readonly kind: 'ask'; readonly question: QuestionKind }
  | { readonly kind: 'report'; readonly event: 'held' | 'resumed'; readonly failure: CheckFailure }
  | { readonly kind: 'report'; readonly event: 'step_passed'; readonly step: number }
  | { readonly kind: 'report'; readonly event: 'return_failed'; readonly reason: string; readonly waitMs: number };

export interface Next {
  readonly state: RampState;
  readonly effects: readonly RampEffect[];
}

/** Milliseconds between two reads of the variants during a step. */
export const readIntervalMs = 30_000;
/** The largest number of requests for the share of one step. */
export const maxSends = 3;

export function withoutEffects(state: RampState): Next {
  return { state, effects: [] };
}

export function finish({ share, mayHave }: Traffic, end: RampEnd): Next {
  return { state: { phase: 'ended', end, share, mayHave }, effects: [] };
}

/** Begins the request for the share of the next step or, after the last step, for the commit of the canary. */
export function sendNextShare(rules: RampRules, before: Soaking): Next {
  const { share, question } = before;
  const isLastStep = before.step === rules.steps.length - 1;
  const [phase, step] = isLastStep ? (['committing', before.step] as const) : (['setting', before.step + 1] as const);
  return sendShare(rules, { phase, step, share, sends: 0, question, before });
}

/** Returns `state` with the effect that sends the share of the step or, in phase `committing`, the commit. */
export function sendShare({ steps }: RampRules, state: SettingShareState): Next {
  const { phase, share, step, sends } = state;
  const [why, target] = phase === 'setting' ? (['step', steps[step] ?? share] as const) : (['commit', share] as const);
  return { state, effects: [{ kind: 'set', why, from: { share }, share: target, sends }] };
}

/** Begins to take the traffic back. A share at or below `abortTo` is not raised, so the ramp ends at once. */
export function rollBack(rules: RampRules, { share, mayHave }: Traffic, end: RampEnd, nowMs: number): Next {
  if (Math.max(share, mayHave ?? 0) <= rules.abortTo) return finish({ share }, end);
  return tryReturn(rules, { phase: 'returning', share, mayHave, sends: 0, tries: 0, sinceMs: nowMs, end });
}

export function tryReturn({ abortTo }: RampRules, state: Returning): Next {
  const { share, mayHave, sends, tries } = state;
  const effect = { kind: 'set', why: 'return', from: { share, mayHave }, share: abortTo, sends } as const;
  return { state: { ...state, tries: tries + 1, dueMs: undefined }, effects: [effect] };
}

/** Ends the ramp. `pause` keeps the share, `abort` takes the traffic back before. */
export function applyStop(rules: RampRules, traffic: Traffic, end: StoppedEnd | FailedEnd, nowMs: number): Next {
  return end.how === 'abort' ? rollBack(rules, traffic, end, nowMs) : finish(traffic, end);
}

/** Returns the stop that a signal, `--pause`, `--abort`, a second Ctrl-C or an answer requests; undefined for none. */
export function requestedStop({ question }: Pick<Soaking, 'question'>, event: Event): StoppedEnd | undefined {
  if (event.kind === 'stop') return { ...event, kind: 'stopped' };
  if (event.kind === 'interrupt' && question === 'stop') return { kind: 'stopped', how: 'pause', by: 'SIGINT' };
  if (event.kind !== 'answered' || event.question !== question || event.answer === 'go') return undefined;
  return { kind: 'stopped', how: event.answer, by: question === 'stop' ? 'SIGINT' : 'answer' };
}

export function ask(state: RampState, question: QuestionKind): Next {
  return { state: { ...state, question } as RampState, effects: [{ kind: 'ask', question }] };
}

type StepStart = Pick<Soaking, 'step' | 'share' | 'run' | 'question'>;

export function newSoakingState(rules: RampRules, { step, share, run, question }: StepStart, nowMs: number): Soaking {
  return {
    phase: 'soaking',
    step,
    share,
    run,
    sinceMs: nowMs,
    stats: Array<CheckStats>(rules.checkCount).fill({
      good: 0,
      failed: 0,
      held: 0,
      dueMs: nowMs + rules.initialDelayMs,
    }),
    isReading: false,
    readMs: nowMs + readIntervalMs,
    suspects: [],
    question,
  };
}

export function prependEffects(effects: readonly RampEffect[], next: Next): Next {
  return { state: next.state, effects: [...effects, ...next.effects] };
}
