import type {
  CheckEnd,
  CheckFailure,
  CheckStats,
  Event,
  Next,
  RampEffect,
  RampEnd,
  RampState,
  Rules,
  Soaking,
} from './state.ts';
import { after, ask, ended, readEveryMs, rollBack, setStep, soakFrom, stay, stopIn, stopped } from './transitions.ts';

type Result = NonNullable<CheckStats['last']>;

/** What one event makes of a step whose share is shown. */
export function whileSoaking(rules: Rules, state: Soaking, event: Event, nowMs: number): Next {
  const stop = stopIn(state, event);
  if (stop) return stopped(rules, state.share, stop);
  switch (event.kind) {
    case 'tick':
      return proceed(rules, state, nowMs);
    case 'checked':
      return event.run === state.run ? afterCheck(rules, state, event, nowMs) : stay(state);
    case 'read':
      if (event.run !== state.run) return stay(state);
      if (typeof event.seen === 'object') return ended(state.share, event.seen);
      return afterRead(rules, state, event.seen === 'same', nowMs);
    case 'slept':
      return afterSleep(rules, state, nowMs);
    case 'interrupt':
      return ask(state, 'stop');
    case 'answered':
      if (event.question !== state.question) return stay(state);
      return proceed(rules, { ...state, question: undefined, isGranted: true }, nowMs);
    default:
      return stay(state);
  }
}

/** When the next check or read falls due, or the step may pass; the end of a hold can wait for the next look. */
export function dueAfter({ everyMs }: Rules, state: RampState, nowMs: number): number {
  if (state.phase !== 'soaking') return Number.POSITIVE_INFINITY;
  const { sinceMs, readMs, stats } = state;
  const dates = [sinceMs + everyMs, readMs, ...stats.filter(isStartable).map(({ dueMs }) => dueMs)];
  return Math.min(...dates.filter((ms) => ms > nowMs));
}

/** While the machine slept nobody checked: the step soaks anew. */
function afterSleep(rules: Rules, state: Soaking, nowMs: number): Next {
  const { step, share, run, question } = state;
  const soaking = soakFrom(rules, { step, share, run: run + 1 }, nowMs);
  return proceed(rules, { ...soaking, readMs: nowMs, question }, nowMs);
}

function afterCheck(rules: Rules, state: Soaking, { check, result, isNetwork, said }: CheckEnd, nowMs: number): Next {
  const stats = state.stats[check];
  if (!stats?.isBusy) return stay(state);
  const bad = { check, said };
  if (result === 'failed' && isNetwork && !stats.isRepeat) {
    // A read tells whether it is our own network; one that is under way will do.
    const doubting = { ...state, suspects: [...state.suspects, bad], isReading: true };
    return { state: doubting, effects: state.isReading ? [] : [{ kind: 'read', run: state.run }] };
  }
  const isOpened = result === 'good' && stats.heldMs !== undefined;
  const isHeld = result === 'held' && stats.heldMs === undefined;
  const messages: readonly RampEffect[] =
    isOpened || isHeld ? [{ kind: 'tell', event: isHeld ? 'held' : 'resumed', bad }] : [];
  return after(messages, proceed(rules, withResults(state, [bad], result, nowMs), nowMs));
}

function afterRead(rules: Rules, state: Soaking, isRead: boolean, nowMs: number): Next {
  const read = { ...state, isReading: false, readMs: nowMs + readEveryMs, suspects: [] };
  if (!isRead) {
    const messages = state.suspects.map((bad): RampEffect => ({ kind: 'tell', event: 'held', bad }));
    const unreadMs = state.unreadMs ?? nowMs;
    return after(messages, proceed(rules, withResults({ ...read, unreadMs }, state.suspects, 'blind', nowMs), nowMs));
  }
  // What was lost with our network is checked again, and that counts.
  const stats = read.stats.map((one) => (one.last === 'blind' ? { ...one, dueMs: nowMs, isRepeat: true } : one));
  const seen = { ...read, stats, unreadMs: undefined };
  return proceed(rules, withResults(seen, state.suspects, 'failed', nowMs), nowMs);
}

function withResults(state: Soaking, results: readonly CheckFailure[], result: Result, nowMs: number): Soaking {
  const stats = state.stats.map((tally, check) => {
    const bad = results.find((one) => one.check === check);
    return bad ? withResult(tally, result, bad.said, nowMs) : tally;
  });
  return { ...state, stats, bad: result === 'failed' ? (results.at(-1) ?? state.bad) : state.bad };
}

function withResult(stats: CheckStats, result: Result, said: string, nowMs: number): CheckStats {
  const isHeld = result === 'held' || result === 'blind';
  const heldMs = stats.heldMs ?? (isHeld ? nowMs : undefined);
  return {
    good: stats.good + (result === 'good' ? 1 : 0),
    failed: stats.failed + (result === 'failed' ? 1 : 0),
    held: stats.held + (isHeld ? 1 : 0),
    last: result,
    said,
    heldMs: result === 'good' ? undefined : heldMs,
    dueMs: stats.dueMs,
  };
}

/** What is due now: an end, the next share, or checks and reads. */
function proceed(rules: Rules, given: Soaking, nowMs: number): Next {
  // Leave to go on lasts only while all is good: then it is asked for again.
  const isGranted = given.isGranted === true && couldPass(rules, given, nowMs);
  const state = { ...given, isGranted };
  return (
    afterFailures(rules, state) ??
    heldTooLong(rules, state, nowMs) ??
    afterPass(rules, state, nowMs) ??
    startDue(rules, state, nowMs)
  );
}

function afterFailures(rules: Rules, { stats, share, bad }: Soaking): Next | undefined {
  const failures = stats.reduce((sum, { failed }) => sum + failed, 0);
  if (!bad || failures <= rules.failureLimit) return undefined;
  const end: RampEnd = { kind: 'failed', bad, how: rules.onFailure, at: share };
  return rules.onFailure === 'abort' ? rollBack(rules, share, end) : ended(share, end);
}

function heldTooLong({ holdLimitMs }: Rules, { stats, unreadMs, share }: Soaking, nowMs: number): Next | undefined {
  const isOver = (sinceMs: number | undefined) => sinceMs !== undefined && nowMs - sinceMs >= holdLimitMs;
  const check = stats.findIndex(({ heldMs }) => isOver(heldMs));
  const tally = stats[check];
  if (isOver(unreadMs) || tally?.last === 'blind') return ended(share, { kind: 'blind' });
  return tally && ended(share, { kind: 'held', bad: { check, said: tally.said } });
}

/** Time alone never ends a step: each check was good often enough, and last. */
function couldPass({ everyMs, minChecks }: Rules, { stats, sinceMs, unreadMs }: Soaking, nowMs: number): boolean {
  const isGood = ({ good, last }: CheckStats) => good >= minChecks && last === 'good';
  return nowMs - sinceMs >= everyMs && unreadMs === undefined && stats.every(isGood);
}

/** Undefined while it soaks, and while a check that was begun has not ended. */
function afterPass(rules: Rules, state: Soaking, nowMs: number): Next | undefined {
  const { step, share, isGranted, question } = state;
  if (!couldPass(rules, state, nowMs) || state.stats.some(({ isBusy }) => isBusy)) return undefined;
  const isLast = step === rules.steps.length - 1;
  const isEnd = isLast && !rules.commit;
  if (question === 'stop') return undefined;
  if (rules.confirmSteps && !isGranted && !isEnd) {
    if (question) return undefined;
    return after([{ kind: 'ask', question: 'step' }], startDue(rules, { ...state, question: 'step' }, nowMs));
  }
  const messages: readonly RampEffect[] = [{ kind: 'tell', event: 'step_passed', step }];
  if (isEnd) return after(messages, ended(share, { kind: 'passed' }));
  if (isLast) {
    const commit: RampEffect = { kind: 'set', from: share, share, why: 'commit' };
    return { state: { phase: 'committing', share }, effects: [...messages, commit] };
  }
  return after(messages, setStep(rules, { step: step + 1, share }, state));
}

/** A check whose result was lost with our network waits until that works again. */
function isStartable({ isBusy, last, isRepeat }: CheckStats): boolean {
  return !isBusy && (last !== 'blind' || isRepeat === true);
}

function startDue(rules: Rules, state: Soaking, nowMs: number): Next {
  const isReadDue = !state.isReading && nowMs >= state.readMs;
  // Once the step could pass, what is under way is only waited for.
  const isDraining = !state.question && couldPass(rules, state, nowMs);
  const isDue = (tally: CheckStats) => !isDraining && isStartable(tally) && nowMs >= tally.dueMs;
  const begun = state.stats.flatMap((tally, check) => (isDue(tally) ? [check] : []));
  const stats = state.stats.map(
    (tally): CheckStats => (isDue(tally) ? { ...tally, isBusy: true, dueMs: nowMs + rules.intervalMs } : tally),
  );
  return {
    state: { ...state, stats, isReading: state.isReading || isReadDue },
    effects: [
      ...(isReadDue ? [{ kind: 'read', run: state.run } as const] : []),
      ...begun.map((check): RampEffect => ({ kind: 'check', run: state.run, check })),
    ],
  };
}
