import { whileSoaking } from './soak.ts';
import type { Event, Next, RampEnd, RampState, Rules, SetOutcome } from './state.ts';
import { ask, ended, readEveryMs, setStep, soakFrom, stay, stopIn, stopped } from './transitions.ts';

export function begin(rules: Rules, share: number): Next {
  return setStep(rules, { step: 0, share });
}

/** A ramp goes on: its step soaks anew. */
export function resume(
  rules: Rules,
  { step, share }: { readonly step: number; readonly share: number },
  nowMs: number,
): Next {
  return stay(soakFrom(rules, { step, share, run: 0 }, nowMs));
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
      return event.kind === 'set' ? ended(state.share, afterCommit(event.outcome)) : stay(state);
    default:
      return stay(state);
  }
}

type Setting = RampState & { readonly phase: 'setting' };

/** A request under way is never given up: its end says what the share is, and what was asked for meanwhile follows. */
function whileSetting(rules: Rules, state: Setting, event: Event, nowMs: number): Next {
  if (event.kind === 'set') return afterStep(rules, state, event.outcome, nowMs);
  const wanted = stopIn(state, event);
  if (wanted) return stay({ ...state, question: undefined, wanted });
  return event.kind === 'interrupt' ? ask(state, 'stop') : stay(state);
}

function afterStep(rules: Rules, state: Setting, outcome: SetOutcome, nowMs: number): Next {
  const { step, share, wanted, question, before } = state;
  if (outcome === 'shown') {
    const shown = rules.steps[step] ?? share;
    if (wanted) return stopped(rules, shown, wanted);
    return stay({ ...soakFrom(rules, { step, share: shown, run: (before?.run ?? 0) + 1 }, nowMs), question });
  }
  if (outcome !== 'unread') return ended(share, outcome);
  if (wanted) return stopped(rules, share, wanted);
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
  const bad = outcome.kind === 'changed' && end.kind === 'failed' ? { bad: end.bad } : {};
  return ended(share, { ...outcome, ...bad });
}

function afterCommit(outcome: SetOutcome): RampEnd {
  if (outcome === 'shown') return { kind: 'committed' };
  return outcome === 'unread' ? { kind: 'blind' } : outcome;
}
