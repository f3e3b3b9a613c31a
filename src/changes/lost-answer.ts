import { ProbableMatch, type Watch } from '../contract/observe.ts';
import { Problem } from '../problems/problem.ts';
import type { ActiveWrite } from './active-write.ts';

/** The response to a change, or what a check found instead. */
export interface SentWrite {
  readonly answer: unknown;
  /** What was found in its place is probable but not certain. */
  readonly isProbable?: true;
}

/** Checks instead of retrying; what the check finds replaces the lost response. */
export async function checkAfterLoss(
  change: ActiveWrite,
  snapshot: unknown,
  error: unknown,
): Promise<SentWrite | undefined> {
  const { run, observer } = change;
  const isUnknown = error instanceof Problem && error.kind === 'outcome_unknown';
  if (!isUnknown || !run.limits.reconcile || !observer?.check || run.world.signal.aborted) return undefined;
  const found = await run.progress.during('no response; checking', () => checkRepeatedly(change, snapshot));
  if (found === undefined) return undefined;
  if (found instanceof ProbableMatch) {
    run.say.warn(`${error.details.why ?? error.message}; checked afterwards: the change was probably applied`);
    return { answer: found.answer, isProbable: true };
  }
  run.say.warn(`${error.details.why ?? error.message}; checked afterwards: the change was applied`);
  return { answer: found };
}

async function checkRepeatedly({ parts, run, input, observer }: ActiveWrite, snapshot: unknown): Promise<unknown> {
  const { elapsed, signal, sleep } = run.world;
  const deadlineMs = elapsed() + (observer?.checkForMs ?? 0);
  for (;;) {
    // A check that fails settles nothing: the outcome stays unknown.
    const answer: unknown = await observer?.check?.(parts.read, input, snapshot).catch(() => undefined);
    if (answer !== undefined || elapsed() >= deadlineMs || signal.aborted) return answer;
    await sleep(2_000, signal).catch(() => undefined);
  }
}

/** A run without --wait ends with this when what was found is probable and not certain. */
export function probablyStarted({ name, resume }: Watch, value: unknown): Problem {
  return new Problem(
    'pending',
    `${name} was probably started by this command: no response came, and it is the only new one`,
    {
      ...(resume !== undefined && { hint: resume }),
      partial: { value },
    },
  );
}
