import type { Ask, CheckStats, Event, Next, RampEffect, RampEnd, RampState, Rules, Soaking, Stop } from './state.ts';

/** Between two reads of the variants while checks are awaited. */
export const readEveryMs = 30_000;

export function stay(state: RampState): Next {
  return { state, effects: [] };
}

export function ended(share: number, end: RampEnd): Next {
  return { state: { phase: 'ended', end, share }, effects: [] };
}

/** Sets the share of a step. `before`: the state to return to when nothing can be sent. */
export function setStep(
  { steps }: Rules,
  from: { readonly step: number; readonly share: number },
  before?: Soaking,
): Next {
  const share = steps[from.step] ?? from.share;
  return {
    state: { phase: 'setting', ...from, before },
    effects: [{ kind: 'set', from: from.share, share, why: 'step' }],
  };
}

/** Takes the traffic back; never raises a share. */
export function rollBack({ abortTo }: Rules, share: number, end: RampEnd): Next {
  if (share <= abortTo) return ended(share, end);
  const effects: readonly RampEffect[] = [{ kind: 'set', from: share, share: abortTo, why: 'return' }];
  return { state: { phase: 'returning', share, end }, effects };
}

export function stopped(rules: Rules, share: number, { how, by }: Stop): Next {
  const end: RampEnd = { kind: 'stopped', how, by };
  return how === 'abort' ? rollBack(rules, share, end) : ended(share, end);
}

/** The stop that an event requests: by `--pause` or `--abort`, a second Ctrl-C, or the answer to a question. */
export function stopIn({ question }: { readonly question?: Ask | undefined }, event: Event): Stop | undefined {
  if (event.kind === 'stop') return { how: event.how, by: event.by };
  if (event.kind === 'interrupt' && question === 'stop') return { how: 'pause', by: 'SIGINT' };
  if (event.kind !== 'answered' || event.question !== question || event.answer === 'go') return undefined;
  return { how: event.answer, by: question === 'stop' ? 'SIGINT' : 'answer' };
}

export function ask(state: RampState, question: Ask): Next {
  return { state: { ...state, question } as RampState, effects: [{ kind: 'ask', question }] };
}

/** The beginning of a step: its share is shown, and no check has run. */
export function soakFrom(
  { checks, initialDelayMs }: Rules,
  at: Pick<Soaking, 'step' | 'share' | 'run'>,
  nowMs: number,
): Soaking {
  const none: CheckStats = { good: 0, failed: 0, held: 0, dueMs: nowMs + initialDelayMs };
  return {
    phase: 'soaking',
    ...at,
    sinceMs: nowMs,
    stats: Array.from({ length: checks }, () => none),
    isReading: false,
    readMs: nowMs + readEveryMs,
    suspects: [],
  };
}

/** Adds effects in front. */
export function after(effects: readonly RampEffect[], next: Next): Next {
  return { state: next.state, effects: [...effects, ...next.effects] };
}
