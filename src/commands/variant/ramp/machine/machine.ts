import { ended, readEveryMs, setStep, soakFrom, stay, stopped, withoutQuestion } from './moves.ts';
import { dueInSoak, whileSoaking } from './soak.ts';
import type { Event, Next, RampEnd, RampState, Rules, SetOutcome } from './state.ts';

/** A ramp begins: the first share is set. */
export function begin(rules: Rules, share: number): Next {
  return setStep(rules, { step: 0, share });
}

/** A ramp goes on: its step soaks anew. */
export function resume(rules: Rules, at: { readonly step: number; readonly share: number }, nowMs: number): Next {
  return stay(soakFrom(rules, { ...at, run: 0 }, nowMs));
}

/**
 * What one event makes of a ramp. Nothing here waits, reads or sends: the effects say what is to be done, and what comes of
 * it is an event again.
 */
export function transition(rules: Rules, state: RampState, event: Event, nowMs: number): Next {
  switch (state.phase) {
    case 'setting':
      return whileSetting(rules, state, event, nowMs);
    case 'soaking':
      return whileSoaking(rules, state, event, nowMs);
    case 'returning':
      return event.kind === 'set' ? afterReturn(rules, state, event.outcome) : stay(state);
    case 'committing':
      return event.kind === 'set'
        ? stay({ phase: 'ended', share: state.share, end: commitEnd(event.outcome) })
        : stay(state);
    default:
      return stay(state);
  }
}

/** When the next thing falls due without any event. */
export function dueAfter(rules: Rules, state: RampState, nowMs: number): number {
  return state.phase === 'soaking' ? dueInSoak(rules, state, nowMs) : Number.POSITIVE_INFINITY;
}

type Setting = RampState & { readonly phase: 'setting' };

/** A request under way is never given up: its end says what the share is, and what was asked for meanwhile follows. */
function whileSetting(rules: Rules, state: Setting, event: Event, nowMs: number): Next {
  switch (event.kind) {
    case 'set':
      return afterStep(rules, state, event.outcome, nowMs);
    case 'stop':
      return stay({ ...state, wanted: { how: event.how, by: event.by } });
    case 'interrupt':
      if (state.question === 'stop') return stay({ ...withoutQuestion(state), wanted: { how: 'pause', by: 'SIGINT' } });
      return { state: { ...state, question: 'stop' }, effects: [{ kind: 'ask', question: 'stop' }] };
    case 'answered':
      if (event.question !== state.question || event.answer === 'go') return stay(state);
      return stay({ ...withoutQuestion(state), wanted: { how: event.answer, by: 'SIGINT' } });
    default:
      return stay(state);
  }
}

function afterStep(rules: Rules, state: Setting, outcome: SetOutcome, nowMs: number): Next {
  const { step, share, wanted, question, before } = state;
  const asking = question && { question };
  if (outcome.kind === 'shown') {
    const shown = rules.steps[step] ?? share;
    if (wanted) return stopped(rules, shown, wanted);
    return stay({ ...soakFrom(rules, { step, share: shown, run: (before?.run ?? 0) + 1 }, nowMs), ...asking });
  }
  if (outcome.kind !== 'unread') return ended(share, endOf(outcome, 'step'));
  if (wanted) return stopped(rules, share, wanted);
  if (!before) return ended(share, { kind: 'blind' });
  const { run, unreadMs = nowMs } = before;
  const readMs = nowMs + readEveryMs;
  return stay({ ...withoutQuestion(before), ...asking, run: run + 1, isReading: false, unreadMs, readMs });
}

function afterReturn(
  rules: Rules,
  { share, end }: RampState & { readonly phase: 'returning' },
  outcome: SetOutcome,
): Next {
  if (outcome.kind === 'shown') return ended(rules.abortTo, end);
  if (outcome.kind === 'changed') {
    return ended(share, { kind: 'changed', seen: outcome.why, ...(end.kind === 'failed' && { bad: end.bad }) });
  }
  if (outcome.kind === 'active') return ended(share, endOf(outcome, 'return'));
  const why = 'why' in outcome ? outcome.why : 'the service could not be read';
  return ended(share, { kind: 'unknown', what: 'return', why });
}

function commitEnd(outcome: SetOutcome): RampEnd {
  if (outcome.kind === 'shown' || outcome.kind === 'active') return { kind: 'committed' };
  return outcome.kind === 'unread' ? { kind: 'blind' } : endOf(outcome, 'commit');
}

function endOf(outcome: SetOutcome, what: 'step' | 'return' | 'commit'): RampEnd {
  switch (outcome.kind) {
    case 'changed':
      return { kind: 'changed', seen: outcome.why };
    case 'refused':
      return { kind: 'refused', cause: outcome.cause };
    case 'unknown':
      return { kind: 'unknown', what, why: outcome.why };
    default:
      return { kind: 'unknown', what: 'active', why: 'it became the active version' };
  }
}
