import { whileSoaking } from './soak.ts';
import type { Event, Next, RampEnd, RampState, Rules, SetOutcome } from './state.ts';
import { ask, ended, readEveryMs, setStep, soakFrom, stay, stopIn, stopped } from './transitions.ts';

export function begin(rules: Rules, share: number): Next {
  return setStep(rules, { step: 0, share });
}

/** Continues a ramp: its step soaks anew. */
export function resume(
  rules: Rules,
  { step, share }: { readonly step: number; readonly share: number },
  nowMs: number,
): Next {
  return stay(soakFrom(rules, { step, share, run: 0 }, nowMs));
}

/** The next state, and the effects to carry out; their results come back as events. Pure: it never waits, reads or sends. */
export function transition(rules: Rules, state: RampState, event: Event, nowMs: number): Next {
  switch (state.phase) {
    case 'setting':
      return whileSetting(rules, state, event, nowMs);
    case 'soaking':
      return whileSoaking(rules, state, event, nowMs);
    case 'returning':
      return event.kind === 'set' ? afterReturn(rules, state, event.outcome) : stay(state);
    case 'committing':
      return event.kind === 'set' ? ended(state.share, afterCommit(event.outcome)) : stay(state);
    default:
      return stay(state);
  }
}

type Setting = RampState & { readonly phase: 'setting' };

/** A request under way is waited for; then a stop that was requested meanwhile is carried out. */
function whileSetting(rules: Rules, state: Setting, event: Event, nowMs: number): Next {
  if (event.kind === 'set') return afterStep(rules, state, event.outcome, nowMs);
  const requested = stopIn(state, event);
  if (requested) return stay({ ...state, question: undefined, requested });
  return event.kind === 'interrupt' ? ask(state, 'stop') : stay(state);
}

function afterStep(rules: Rules, state: Setting, outcome: SetOutcome, nowMs: number): Next {
  const { step, share, requested, question, before } = state;
  if (outcome === 'shown') {
    const shown = rules.steps[step] ?? share;
    if (requested) return stopped(rules, shown, requested);
    return stay({ ...soakFrom(rules, { step, share: shown, run: (before?.run ?? 0) + 1 }, nowMs), question });
  }
  if (outcome !== 'unread') return ended(share, outcome);
  if (requested) return stopped(rules, share, requested);
  if (!before) return ended(share, { kind: 'blind' });
  const { run, unreadMs = nowMs } = before;
  const readMs = nowMs + readEveryMs;
  return stay({ ...before, question, run: run + 1, isReading: false, unreadMs, readMs });
}

function afterReturn(
  rules: Rules,
  { share, end }: RampState & { readonly phase: 'returning' },
  outcome: SetOutcome,
): Next {
  if (outcome === 'shown') return ended(rules.abortTo, end);
  if (outcome === 'unread') {
    return ended(share, { kind: 'unknown', what: 'return', why: 'the service could not be read' });
  }
  const because = outcome.kind === 'changed' && end.kind === 'failed' ? { failure: end.failure } : {};
  return ended(share, { ...outcome, ...because });
}

function afterCommit(outcome: SetOutcome): RampEnd {
  if (outcome === 'shown') return { kind: 'committed' };
  return outcome === 'unread' ? { kind: 'blind' } : outcome;
}
