import type {
  CheckEnd,
  CheckFailure,
  CheckStats,
  Event,
  Next,
  RampEffect,
  RampEnd,
  RampRules,
  RampState,
  ReadOutcome,
  Soaking,
} from './state.ts';
import {
  applyStop,
  ask,
  finish,
  newSoakingState,
  prependEffects,
  readIntervalMs,
  requestedStop,
  rollBack,
  sendNextShare,
  withoutEffects,
} from './transitions.ts';

type CheckResult = NonNullable<CheckStats['last']>;

/** Handles an event during a step, after the service has shown its share. */
export function whileSoaking(rules: RampRules, state: Soaking, event: Event, nowMs: number): Next {
  const stopRequest = requestedStop(state, event);
  if (stopRequest) return applyStop(rules, state, stopRequest, nowMs);
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
  const { step, share, mayHave, run, question } = state;
  const soaking = newSoakingState(rules, { step, share, run: run + 1, question }, nowMs);
  const unreadSinceMs = state.unreadSinceMs === undefined ? undefined : nowMs;
  return evaluateStep(rules, { ...soaking, mayHave, unreadSinceMs, readMs: nowMs }, nowMs);
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
  const { step, share, run, question } = state;
  const readMs = nowMs + Math.max(readIntervalMs, outcome.kind === 'nothing' ? outcome.waitMs : 0);
  const idleState = { ...state, isReading: false, readMs, suspects: [] };
  if (outcome.kind === 'nothing') {
    const reportEffects = state.suspects.map((failure): RampEffect => ({ kind: 'report', event: 'held', failure }));
    const unreadableState = { ...idleState, unreadSinceMs: state.unreadSinceMs ?? nowMs };
    const heldState = withResults(unreadableState, state.suspects, 'unreachable', nowMs);
    return prependEffects(reportEffects, evaluateStep(rules, heldState, nowMs));
  }
  if (outcome.share !== share) {
    // Another share means that the request with an unknown result was carried out.
    return withoutEffects(
      newSoakingState(rules, { step: step + 1, share: outcome.share, run: run + 1, question }, nowMs),
    );
  }
  if (step < 0) return sendNextShare(rules, state);
  // After an unreachable result a check runs again at once, and the new result counts.
  const stats = idleState.stats.map((one) =>
    one.last === 'unreachable' ? { ...one, dueMs: nowMs, isRepeat: true } : one,
  );
  const readableState = { ...idleState, stats, unreadSinceMs: undefined, mayHave: undefined };
  return evaluateStep(rules, withResults(readableState, state.suspects, 'failed', nowMs), nowMs);
}

function withResults(state: Soaking, failures: readonly CheckFailure[], result: CheckResult, nowMs: number): Soaking {
  const stats = state.stats.map((one, index) => {
    const failure = failures.find(({ check }) => check === index);
    return failure ? withResult(one, result, failure, nowMs) : one;
  });
  return { ...state, stats, failure: (result === 'failed' && failures.at(-1)) || state.failure };
}

function withResult(stats: CheckStats, result: CheckResult, failure: CheckFailure, nowMs: number): CheckStats {
  const isHeld = result === 'held' || result === 'unreachable';
  const heldSinceMs = stats.heldSinceMs ?? (isHeld ? nowMs : undefined);
  return {
    good: stats.good + (result === 'good' ? 1 : 0),
    failed: stats.failed + (result === 'failed' ? 1 : 0),
    held: stats.held + (isHeld ? 1 : 0),
    last: result,
    failure,
    heldSinceMs: result === 'good' ? undefined : heldSinceMs,
    dueMs: stats.dueMs,
  };
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
  const end: RampEnd = { kind: 'failed', failure, how: rules.onFailure, at: share };
  return rules.onFailure === 'abort' ? rollBack(rules, state, end, nowMs) : finish(state, end);
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
  const dueIndexes = state.stats.flatMap((one, checkIndex) => (isCheckDue(one) ? [checkIndex] : []));
  const stats = state.stats.map(
    (one): CheckStats => (isCheckDue(one) ? { ...one, isBusy: true, dueMs: nowMs + rules.intervalMs } : one),
  );
  return {
    state: { ...state, stats, isReading: state.isReading || isReadDue },
    effects: [
      ...(isReadDue ? [{ kind: 'read', run: state.run } as const] : []),
      ...dueIndexes.map((check): RampEffect => ({ kind: 'check', run: state.run, check })),
    ],
  };
}
