import type {
  CheckEnd,
  CheckFailure,
  CheckStats,
  Event,
  Next,
  RampEffect,
  RampEnd,
  RampState,
  ReadOutcome,
  Rules,
  Soaking,
} from './state.ts';
import {
  ask,
  finish,
  prepend,
  readEveryMs,
  rollBack,
  sendNext,
  soakFrom,
  stay,
  stopBy,
  stopIn,
} from './transitions.ts';

type CheckResult = NonNullable<CheckStats['last']>;

/** Handles an event during a step, after the service has shown its share. */
export function whileSoaking(rules: Rules, state: Soaking, event: Event, nowMs: number): Next {
  const stop = stopIn(state, event);
  if (stop) return stopBy(rules, state, stop, nowMs);
  if ('run' in event && event.run !== state.run) return stay(state);
  if (event.kind === 'tick') return proceed(rules, state, nowMs);
  if (event.kind === 'checked') return afterCheck(rules, state, event, nowMs);
  if (event.kind === 'read') return afterRead(rules, state, event.observed, nowMs);
  if (event.kind === 'slept') return afterSleep(rules, state, nowMs);
  if (event.kind === 'interrupt') return ask(state, 'stop');
  if (event.kind !== 'answered' || event.question !== state.question) return stay(state);
  return proceed(rules, { ...state, question: undefined, isGranted: true }, nowMs);
}

/**
 * Returns the time at which the next check, the next read, the next try to take the traffic back, or the end of the
 * step is due. Infinity if nothing is due later. The hold limit is left out.
 */
export function dueAfter({ everyMs }: Rules, state: RampState, nowMs: number): number {
  if (state.phase === 'returning') return state.dueMs ?? Number.POSITIVE_INFINITY;
  if (state.phase !== 'soaking') return Number.POSITIVE_INFINITY;
  const { sinceMs, readMs, stats } = state;
  const times = [sinceMs + everyMs, readMs, ...stats.filter(isStartable).map(({ dueMs }) => dueMs)];
  return Math.min(...times.filter((ms) => ms > nowMs));
}

/** Begins the step anew, because no check ran while the machine slept. */
function afterSleep(rules: Rules, state: Soaking, nowMs: number): Next {
  const { step, share, mayHave, run, question } = state;
  const soaking = soakFrom(rules, { step, share, run: run + 1, question }, nowMs);
  const unreadSinceMs = state.unreadSinceMs === undefined ? undefined : nowMs;
  return proceed(rules, { ...soaking, mayHave, unreadSinceMs, readMs: nowMs }, nowMs);
}

function afterCheck(rules: Rules, state: Soaking, event: CheckEnd, nowMs: number): Next {
  const { check, result, isNetwork, reason, output } = event;
  const stats = state.stats[check];
  if (!stats?.isBusy) return stay(state);
  const failure = { check, reason, output };
  if (result === 'failed' && isNetwork && !stats.isRepeat) {
    // The failure counts only if our own network works. A read of the service shows that; one under way is enough.
    const next = { ...state, suspects: [...state.suspects, failure], isReading: true };
    return { state: next, effects: state.isReading ? [] : [{ kind: 'read', run: state.run }] };
  }
  const isOpened = result === 'good' && stats.heldSinceMs !== undefined;
  const isHeld = result === 'held' && stats.heldSinceMs === undefined;
  const messages: readonly RampEffect[] =
    isOpened || isHeld ? [{ kind: 'report', event: isHeld ? 'held' : 'resumed', failure }] : [];
  return prepend(messages, proceed(rules, withResults(state, [failure], result, nowMs), nowMs));
}

function afterRead(rules: Rules, state: Soaking, outcome: ReadOutcome, nowMs: number): Next {
  if (outcome.kind !== 'same' && outcome.kind !== 'nothing') return finish(state, outcome);
  const { step, share, run, question } = state;
  const readMs = nowMs + Math.max(readEveryMs, outcome.kind === 'nothing' ? outcome.waitMs : 0);
  const idle = { ...state, isReading: false, readMs, suspects: [] };
  if (outcome.kind === 'nothing') {
    const messages = state.suspects.map((failure): RampEffect => ({ kind: 'report', event: 'held', failure }));
    const unread = { ...idle, unreadSinceMs: state.unreadSinceMs ?? nowMs };
    return prepend(messages, proceed(rules, withResults(unread, state.suspects, 'unreachable', nowMs), nowMs));
  }
  if (outcome.share !== share) {
    // Another share means that the request with an unknown result was carried out.
    return stay(soakFrom(rules, { step: step + 1, share: outcome.share, run: run + 1, question }, nowMs));
  }
  if (step < 0) return sendNext(rules, state);
  // After an unreachable result a check runs again at once, and the new result counts.
  const stats = idle.stats.map((one) => (one.last === 'unreachable' ? { ...one, dueMs: nowMs, isRepeat: true } : one));
  const readable = { ...idle, stats, unreadSinceMs: undefined, mayHave: undefined };
  return proceed(rules, withResults(readable, state.suspects, 'failed', nowMs), nowMs);
}

function withResults(state: Soaking, results: readonly CheckFailure[], result: CheckResult, nowMs: number): Soaking {
  const stats = state.stats.map((one, check) => {
    const failure = results.find((one) => one.check === check);
    return failure ? withResult(one, result, failure, nowMs) : one;
  });
  return { ...state, stats, failure: result === 'failed' ? (results.at(-1) ?? state.failure) : state.failure };
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

function proceed(rules: Rules, before: Soaking, nowMs: number): Next {
  // A granted step goes on only while all checks are good; otherwise the question is asked again.
  const isGranted = before.isGranted === true && couldPass(rules, before, nowMs);
  const state = { ...before, isGranted };
  return (
    afterFailures(rules, state, nowMs) ??
    afterLongHold(rules, state, nowMs) ??
    afterPass(rules, state, nowMs) ??
    startDue(rules, state, nowMs)
  );
}

function afterFailures(rules: Rules, state: Soaking, nowMs: number): Next | undefined {
  const { stats, share, failure } = state;
  const failures = stats.reduce((sum, { failed }) => sum + failed, 0);
  if (!failure || failures <= rules.failureLimit) return undefined;
  const end: RampEnd = { kind: 'failed', failure, how: rules.onFailure, at: share };
  return rules.onFailure === 'abort' ? rollBack(rules, state, end, nowMs) : finish(state, end);
}

function afterLongHold({ holdLimitMs }: Rules, state: Soaking, nowMs: number): Next | undefined {
  const { stats, unreadSinceMs } = state;
  const isOver = (sinceMs: number | undefined) => sinceMs !== undefined && nowMs - sinceMs >= holdLimitMs;
  const overdue = stats.find(({ heldSinceMs }) => isOver(heldSinceMs));
  if (isOver(unreadSinceMs) || overdue?.last === 'unreachable') return finish(state, { kind: 'unreachable' });
  return overdue?.failure && finish(state, { kind: 'held', failure: overdue.failure });
}

/** True if the step had its time, the service can be read, and each check was good often enough and the last time. */
function couldPass({ everyMs, minChecks }: Rules, { stats, sinceMs, unreadSinceMs }: Soaking, nowMs: number): boolean {
  const isGood = ({ good, last }: CheckStats) => good >= minChecks && last === 'good';
  return nowMs - sinceMs >= everyMs && unreadSinceMs === undefined && stats.every(isGood);
}

function afterPass(rules: Rules, state: Soaking, nowMs: number): Next | undefined {
  const { step, isGranted, question } = state;
  if (!couldPass(rules, state, nowMs) || state.stats.some(({ isBusy }) => isBusy)) return undefined;
  const isEnd = step === rules.steps.length - 1 && !rules.commit;
  if (question === 'stop') return undefined;
  if (rules.confirmSteps && !isGranted && !isEnd) {
    if (question) return undefined;
    return prepend([{ kind: 'ask', question: 'step' }], startDue(rules, { ...state, question: 'step' }, nowMs));
  }
  const messages: readonly RampEffect[] = [{ kind: 'report', event: 'step_passed', step }];
  if (isEnd) return prepend(messages, finish(state, { kind: 'passed' }));
  return prepend(messages, sendNext(rules, state));
}

/** True if a check may start. After an unreachable result it waits until our network works again. */
function isStartable({ isBusy, last, isRepeat }: CheckStats): boolean {
  return !isBusy && (last !== 'unreachable' || isRepeat === true);
}

function startDue(rules: Rules, state: Soaking, nowMs: number): Next {
  const isReadDue = !state.isReading && nowMs >= state.readMs;
  // Once the step could pass, it only waits for running checks. No new check starts unless a question is open.
  const isDraining = !state.question && couldPass(rules, state, nowMs);
  const isDue = (one: CheckStats) => !isDraining && isStartable(one) && nowMs >= one.dueMs;
  const dueChecks = state.stats.flatMap((one, check) => (isDue(one) ? [check] : []));
  const stats = state.stats.map(
    (one): CheckStats => (isDue(one) ? { ...one, isBusy: true, dueMs: nowMs + rules.intervalMs } : one),
  );
  return {
    state: { ...state, stats, isReading: state.isReading || isReadDue },
    effects: [
      ...(isReadDue ? [{ kind: 'read', run: state.run } as const] : []),
      ...dueChecks.map((check): RampEffect => ({ kind: 'check', run: state.run, check })),
    ],
  };
}
