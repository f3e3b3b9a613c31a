import { whileSoaking } from './soak.ts';
import type {
  Event,
  MissedTry,
  Next,
  RampEnd,
  RampRules,
  RampState,
  RequestPurpose,
  Returning,
  SetOutcome,
  SettingShareState,
  Soaking,
  Traffic,
} from './state.ts';
import {
  applyStop,
  ask,
  finish,
  maxSends,
  newSoakingState,
  readIntervalMs,
  requestedStop,
  sendNextShare,
  sendShare,
  tryReturn,
  withoutEffects,
} from './transitions.ts';

/** The first pause between two tries to take the traffic back. Each further pause is twice as long. */
const firstRetryPauseMs = 5_000;
const maxRetryPauseMs = 60_000;

export function beginFirstStep(rules: RampRules, share: number, nowMs: number): Next {
  return sendNextShare(rules, newSoakingState(rules, { step: -1, share, run: 0 }, nowMs));
}

/** Continues a ramp at its current step, whose time and checks begin anew. */
export function resumeStep(rules: RampRules, { step, share }: Pick<Soaking, 'step' | 'share'>, nowMs: number): Next {
  return withoutEffects(newSoakingState(rules, { step, share, run: 0 }, nowMs));
}

/** Returns the next state and the effects to carry out. It never waits, reads or sends: results come back as events. */
export function transition(rules: RampRules, state: RampState, event: Event, nowMs: number): Next {
  if (state.phase === 'ended') return withoutEffects(state);
  if (state.phase === 'soaking') return whileSoaking(rules, state, event, nowMs);
  return state.phase === 'returning'
    ? whileReturning(rules, state, event, nowMs)
    : whileSetting(rules, state, event, nowMs);
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
