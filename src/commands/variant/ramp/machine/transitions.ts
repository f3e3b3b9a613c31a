import type {
  CheckStats,
  Event,
  Next,
  QuestionKind,
  RampEffect,
  RampEnd,
  RampRules,
  RampState,
  Returning,
  SettingShareState,
  Soaking,
  StopRequest,
  Traffic,
} from './state.ts';

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

export function applyStop(rules: RampRules, traffic: Traffic, { how, by }: StopRequest, nowMs: number): Next {
  const end: RampEnd = { kind: 'stopped', how, by };
  return how === 'abort' ? rollBack(rules, traffic, end, nowMs) : finish(traffic, end);
}

/** Returns the stop that a signal, `--pause`, `--abort`, a second Ctrl-C or an answer requests; undefined for none. */
export function requestedStop({ question }: Pick<Soaking, 'question'>, event: Event): StopRequest | undefined {
  if (event.kind === 'stop') return { how: event.how, by: event.by };
  if (event.kind === 'interrupt' && question === 'stop') return { how: 'pause', by: 'SIGINT' };
  if (event.kind !== 'answered' || event.question !== question || event.answer === 'go') return undefined;
  return { how: event.answer, by: question === 'stop' ? 'SIGINT' : 'answer' };
}

export function ask(state: RampState, question: QuestionKind): Next {
  return { state: { ...state, question } as RampState, effects: [{ kind: 'ask', question }] };
}

type StepStart = Pick<Soaking, 'step' | 'share' | 'run' | 'question'>;

/** Returns the state at the beginning of a step: its share is shown, and no check has run. */
export function newSoakingState(rules: RampRules, { step, share, run, question }: StepStart, nowMs: number): Soaking {
  const noResults: CheckStats = { good: 0, failed: 0, held: 0, dueMs: nowMs + rules.initialDelayMs };
  return {
    phase: 'soaking',
    step,
    share,
    run,
    sinceMs: nowMs,
    stats: Array.from({ length: rules.checks }, () => noResults),
    isReading: false,
    readMs: nowMs + readIntervalMs,
    suspects: [],
    question,
  };
}

export function prependEffects(effects: readonly RampEffect[], next: Next): Next {
  return { state: next.state, effects: [...effects, ...next.effects] };
}
