import {
  applyStop,
  ask,
  type CheckEnd,
  type CheckFailure,
  type CheckStats,
  type Event,
  finish,
  type MissedTry,
  maxSends,
  type Next,
  newSoakingState,
  prependEffects,
  type RampEffect,
  type RampEnd,
  type RampRules,
  type RampState,
  type ReadOutcome,
  type RequestPurpose,
  type Returning,
  readIntervalMs,
  requestedStop,
  type SetOutcome,
  type SettingShareState,
  type Soaking,
  sendNextShare,
  sendShare,
  type Traffic,
  tryReturn,
  withoutEffects,
} from './state.ts';

/** The first pause between two tries to take the traffic back. Each further pause is twice as long. */
const firstRetryPauseMs = 5_000;
const maxRetryPauseMs = 60_000;

/** Begins the step whose share the canary has: its time and checks begin anew. Without one, sends the first share. */
export function beginSteps(rules: RampRules, share: number, nowMs: number): Next {
  const soaking = newSoakingState(rules, { step: rules.steps.indexOf(share), share, run: 0 }, nowMs);
  return soaking.step < 0 ? sendNextShare(rules, soaking) : withoutEffects(soaking);
}

/** Returns the next state and the effects to carry out. It never waits, reads or sends: results come back as events. */
export function transition(rules: RampRules, state: RampState, event: Event, nowMs: number): Next {
  if (state.phase === 'ended') return withoutEffects(state);
  if (state.phase === 'soaking') return whileSoaking(rules, state, event, nowMs);
  if (state.phase === 'returning') return whileReturning(rules, state, event, nowMs);
  return whileSetting(rules, state, event, nowMs);
}

/** Handles an event while a request is under way. A requested stop is carried out after the request. */
function whileSetting(rules: RampRules, state: SettingShareState, event: Event, nowMs: number): Next {
  if (event.kind === 'set') return afterRequest(rules, state, event.outcome, nowMs);
  if (event.kind === 'slept') return withoutEffects({ ...state, before: newSoakingState(rules, state.before, nowMs) });
  const requested = requestedStop(state, event);
  if (requested) return withoutEffects({ ...state, question: undefined, requested });
  return event.kind === 'interrupt' && state.phase === 'setting' ? ask(state, 'stop') : withoutEffects(state);
}

function afterRequest(rules: RampRules, state: SettingShareState, outcome: SetOutcome, nowMs: number): Next {
  const { phase, step, share, requested, question, before } = state;
  const afterMissed = phase === 'setting' ? afterMissedStep : afterMissedCommit;
  if ('waitMs' in outcome) return afterMissed(rules, state, outcome, nowMs);
  if (outcome.kind === 'unsaved' && requested) return applyStop(rules, state, requested, nowMs);
  if (outcome.kind !== 'shown') return finish({ share }, outcome);
  if (phase === 'committing') return finish({ share }, { kind: 'committed' });
  if (requested) return applyStop(rules, { share: outcome.share }, requested, nowMs);
  return withoutEffects(newSoakingState(rules, { step, share: outcome.share, run: before.run + 1, question }, nowMs));
}

function afterMissedStep(rules: RampRules, state: SettingShareState, missed: MissedTry, nowMs: number): Next {
  const { step, share, requested } = state;
  const sends = state.sends + sendCountOf(missed);
  const traffic = { share, mayHave: sends > 0 ? rules.steps[step] : undefined };
  if (requested) return applyStop(rules, traffic, requested, nowMs);
  if (missed.kind === 'unread' || missed.kind === 'unseen') return holdStep(state, traffic, missed.waitMs, nowMs);
  if (missed.kind === 'old' && sends < maxSends) return sendShare(rules, { ...state, sends });
  return finish(traffic, sends === 0 ? { kind: 'refused', cause: missed.cause } : unknownEnd('step', missed));
}

/** Handles a commit that is not shown. After a commit that may have been carried out, no share is set. */
function afterMissedCommit(rules: RampRules, state: SettingShareState, missed: MissedTry, nowMs: number): Next {
  const { share, requested } = state;
  if (missed.kind === 'rejected') return finish({ share }, { kind: 'refused', cause: missed.cause });
  if (missed.kind !== 'unread') return finish({ share }, unknownEnd('commit', missed));
  return requested ? applyStop(rules, { share }, requested, nowMs) : holdStep(state, { share }, missed.waitMs, nowMs);
}

function holdStep({ before, question }: SettingShareState, traffic: Traffic, waitMs: number, nowMs: number): Next {
  const { run, unreadSinceMs = nowMs } = before;
  const readMs = nowMs + Math.max(readIntervalMs, waitMs);
  return withoutEffects({ ...before, ...traffic, question, run: run + 1, isReading: false, unreadSinceMs, readMs });
}

/** Handles an event while traffic is taken back. The hold limit, or a change by another user, ends that too. */
function whileReturning(rules: RampRules, state: Returning, event: Event, nowMs: number): Next {
  if (event.kind === 'set') return afterReturn(rules, state, event.outcome, nowMs);
  return state.dueMs !== undefined && nowMs >= state.dueMs ? tryReturn(rules, state) : withoutEffects(state);
}

function afterReturn({ holdLimitMs }: RampRules, state: Returning, outcome: SetOutcome, nowMs: number): Next {
  const { end, tries, sinceMs } = state;
  const failure = 'failure' in end ? end.failure : undefined;
  if (outcome.kind === 'shown') return finish({ share: outcome.share }, end);
  if (!('waitMs' in outcome)) return finish(state, { ...outcome, failure } as RampEnd);
  if (nowMs - sinceMs >= holdLimitMs) return finish(state, { ...unknownEnd('return', outcome), failure } as RampEnd);
  const waitMs = Math.min(maxRetryPauseMs, Math.max(outcome.waitMs, firstRetryPauseMs * 2 ** (tries - 1)));
  return {
    state: { ...state, sends: state.sends + sendCountOf(outcome), dueMs: nowMs + waitMs },
    effects: [{ kind: 'report', event: 'return_failed', reason: outcome.cause.message, waitMs }],
  };
}

function sendCountOf({ kind }: MissedTry): number {
  return kind === 'old' || kind === 'unseen' ? 1 : 0;
}

function unknownEnd(what: RequestPurpose, { cause }: MissedTry): RampEnd {
  return { kind: 'unknown', what, why: cause.why };
}

type CheckResult = NonNullable<CheckStats['last']>;

function whileSoaking(rules: RampRules, state: Soaking, event: Event, nowMs: number): Next {
  const requested = requestedStop(state, event);
  if (requested) return applyStop(rules, state, requested, nowMs);
  if ('run' in event && event.run !== state.run) return withoutEffects(state);
  if (event.kind === 'tick') return evaluateStep(rules, state, nowMs);
  if (event.kind === 'checked') return afterCheck(rules, state, event, nowMs);
  if (event.kind === 'read') return afterRead(rules, state, event.observed, nowMs);
  if (event.kind === 'slept') return afterSleep(rules, state, nowMs);
  if (event.kind === 'interrupt') return ask(state, 'stop');
  if (event.kind !== 'answered' || event.question !== state.question) return withoutEffects(state);
  return evaluateStep(rules, { ...state, question: undefined, isGranted: true }, nowMs);
}

/**
 * Returns the time at which the next check, the next read, the next try to take the traffic back, or the end of the
 * step is due. Infinity if nothing is due later. The hold limit is left out.
 */
export function nextEventMs({ everyMs }: RampRules, state: RampState, nowMs: number): number {
  if (state.phase === 'returning') return state.dueMs ?? Number.POSITIVE_INFINITY;
  if (state.phase !== 'soaking') return Number.POSITIVE_INFINITY;
  const { sinceMs, readMs, stats } = state;
  const times = [sinceMs + everyMs, readMs, ...stats.filter(canStartCheck).map(({ dueMs }) => dueMs)];
  return Math.min(...times.filter((ms) => ms > nowMs));
}

/** Begins the step anew, because no check ran while the machine slept. */
function afterSleep(rules: RampRules, state: Soaking, nowMs: number): Next {
  const soaking = newSoakingState(rules, { ...state, run: state.run + 1 }, nowMs);
  const unreadSinceMs = state.unreadSinceMs === undefined ? undefined : nowMs;
  return evaluateStep(rules, { ...soaking, mayHave: state.mayHave, unreadSinceMs, readMs: nowMs }, nowMs);
}

function afterCheck(rules: RampRules, state: Soaking, event: CheckEnd, nowMs: number): Next {
  const { check, result, isNetwork, reason, output } = event;
  const stats = state.stats[check];
  if (!stats?.isBusy) return withoutEffects(state);
  const failure = { check, reason, output };
  if (result === 'failed' && isNetwork && !stats.isRepeat) {
    // The failure counts only if our own network works. A read of the service shows that; one under way is enough.
    const nextState = { ...state, suspects: [...state.suspects, failure], isReading: true };
    return { state: nextState, effects: state.isReading ? [] : [{ kind: 'read', run: state.run }] };
  }
  const isHoldEnded = result === 'good' && stats.heldSinceMs !== undefined;
  const isHoldBegun = result === 'held' && stats.heldSinceMs === undefined;
  const reportEffects: readonly RampEffect[] =
    isHoldEnded || isHoldBegun ? [{ kind: 'report', event: isHoldBegun ? 'held' : 'resumed', failure }] : [];
  return prependEffects(reportEffects, evaluateStep(rules, withResults(state, [failure], result, nowMs), nowMs));
}

function afterRead(rules: RampRules, state: Soaking, outcome: ReadOutcome, nowMs: number): Next {
  if (outcome.kind !== 'same' && outcome.kind !== 'nothing') return finish(state, outcome);
  const { step, share, run, suspects } = state;
  const readMs = nowMs + Math.max(readIntervalMs, outcome.kind === 'nothing' ? outcome.waitMs : 0);
  const idleState = { ...state, isReading: false, readMs, suspects: [] };
  if (outcome.kind === 'nothing') {
    const reportEffects = suspects.map((failure): RampEffect => ({ kind: 'report', event: 'held', failure }));
    const unreadableState = { ...idleState, unreadSinceMs: state.unreadSinceMs ?? nowMs };
    const heldState = withResults(unreadableState, suspects, 'unreachable', nowMs);
    return prependEffects(reportEffects, evaluateStep(rules, heldState, nowMs));
  }
  if (outcome.share !== share) {
    // Another share means that the request with an unknown result was carried out.
    const nextStep = { ...state, step: step + 1, share: outcome.share, run: run + 1 };
    return withoutEffects(newSoakingState(rules, nextStep, nowMs));
  }
  if (step < 0) return sendNextShare(rules, state);
  // After an unreachable result a check runs again at once, and the new result counts.
  const stats = idleState.stats.map((one) =>
    one.last === 'unreachable' ? { ...one, dueMs: nowMs, isRepeat: true } : one,
  );
  const readableState = { ...idleState, stats, unreadSinceMs: undefined, mayHave: undefined };
  return evaluateStep(rules, withResults(readableState, suspects, 'failed', nowMs), nowMs);
}

function withResults(state: Soaking, failures: readonly CheckFailure[], result: CheckResult, nowMs: number): Soaking {
  const stats = state.stats.map((one, index) => {
    const failure = failures.find(({ check }) => check === index);
    return failure ? withResult(one, result, failure, nowMs) : one;
  });
  return { ...state, stats, failure: (result === 'failed' && failures.at(-1)) || state.failure };
}

function withResult(stats: CheckStats, result: CheckResult, failure: CheckFailure, nowMs: number): CheckStats {
  const counter = result === 'unreachable' ? 'held' : result;
  const firstHeldMs = stats.heldSinceMs ?? (counter === 'held' ? nowMs : undefined);
  const heldSinceMs = result === 'good' ? undefined : firstHeldMs;
  const count = stats[counter] + 1;
  return { ...stats, [counter]: count, last: result, failure, heldSinceMs, isBusy: false, isRepeat: false };
}

function evaluateStep(rules: RampRules, before: Soaking, nowMs: number): Next {
  // A granted step goes on only while all checks are good; otherwise the question is asked again.
  const state = { ...before, isGranted: before.isGranted === true && canPass(rules, before, nowMs) };
  return (
    afterFailures(rules, state, nowMs) ??
    afterLongHold(rules, state, nowMs) ??
    afterPass(rules, state, nowMs) ??
    startDueChecks(rules, state, nowMs)
  );
}

function afterFailures(rules: RampRules, state: Soaking, nowMs: number): Next | undefined {
  const { stats, share, failure } = state;
  const failureCount = stats.reduce((sum, { failed }) => sum + failed, 0);
  if (!failure || failureCount <= rules.failureLimit) return undefined;
  return applyStop(rules, state, { kind: 'failed', failure, how: rules.onFailure, at: share }, nowMs);
}

function afterLongHold({ holdLimitMs }: RampRules, state: Soaking, nowMs: number): Next | undefined {
  const { stats, unreadSinceMs } = state;
  const isOverLimit = (sinceMs: number | undefined) => sinceMs !== undefined && nowMs - sinceMs >= holdLimitMs;
  const overdueCheck = stats.find(({ heldSinceMs }) => isOverLimit(heldSinceMs));
  if (isOverLimit(unreadSinceMs) || overdueCheck?.last === 'unreachable') return finish(state, { kind: 'unreachable' });
  return overdueCheck?.failure && finish(state, { kind: 'held', failure: overdueCheck.failure });
}

/** True if the step had its time, the service can be read, and each check was good often enough and the last time. */
function canPass({ everyMs, minChecks }: RampRules, state: Soaking, nowMs: number): boolean {
  const { stats, sinceMs, unreadSinceMs } = state;
  const isGoodEnough = ({ good, last }: CheckStats) => good >= minChecks && last === 'good';
  return nowMs - sinceMs >= everyMs && unreadSinceMs === undefined && stats.every(isGoodEnough);
}

function afterPass(rules: RampRules, state: Soaking, nowMs: number): Next | undefined {
  const { step, isGranted, question } = state;
  if (!canPass(rules, state, nowMs) || state.stats.some(({ isBusy }) => isBusy)) return undefined;
  const isRampComplete = step === rules.steps.length - 1 && !rules.commit;
  if (question === 'stop') return undefined;
  if (rules.confirmSteps && !isGranted && !isRampComplete) {
    if (question) return undefined;
    const next = startDueChecks(rules, { ...state, question: 'step' }, nowMs);
    return prependEffects([{ kind: 'ask', question: 'step' }], next);
  }
  const reportEffects: readonly RampEffect[] = [{ kind: 'report', event: 'step_passed', step }];
  if (isRampComplete) return prependEffects(reportEffects, finish(state, { kind: 'passed' }));
  return prependEffects(reportEffects, sendNextShare(rules, state));
}

/** True if a check may start. After an unreachable result it waits until our network works again. */
function canStartCheck({ isBusy, last, isRepeat }: CheckStats): boolean {
  return !isBusy && (last !== 'unreachable' || isRepeat === true);
}

function startDueChecks(rules: RampRules, state: Soaking, nowMs: number): Next {
  const isReadDue = !state.isReading && nowMs >= state.readMs;
  // Once the step could pass, it only waits for running checks. No new check starts unless a question is open.
  const isDraining = !state.question && canPass(rules, state, nowMs);
  const isCheckDue = (one: CheckStats) => !isDraining && canStartCheck(one) && nowMs >= one.dueMs;
  const dueMs = nowMs + rules.intervalMs;
  const stats = state.stats.map((one) => (isCheckDue(one) ? { ...one, isBusy: true, dueMs } : one));
  const startedChecks = [...stats.keys()].filter((check) => stats[check] !== state.stats[check]);
  return {
    state: { ...state, stats, isReading: state.isReading || isReadDue },
    effects: [
      ...(isReadDue ? [{ kind: 'read', run: state.run } as const] : []),
      ...startedChecks.map((check) => ({ kind: 'check', run: state.run, check }) as const),
    ],
  };
}
