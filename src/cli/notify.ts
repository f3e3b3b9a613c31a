import { exitCodeOf } from '../problems/exit-codes.ts';
import { orWarn } from '../problems/or-warn.ts';
import type { Problem } from '../problems/problem.ts';
import type { Run } from './world.ts';

/** During a shorter wait nobody looks away. */
const leastMs = 10_000;

/** How a run ended. */
export interface RunEnd {
  /** What it shows for people, in a line. */
  readonly text: string | undefined;
  readonly record: unknown;
  readonly error?: Problem;
}

/** Tells somebody who looked away that a wait is over, if they asked for it. A failure of that is a warning. */
export async function notifyEnd({ line, world, session, say, state }: Run, end: RunEnd): Promise<void> {
  const { err, elapsed, signal } = world;
  const isLong = state.waitingSinceMs !== undefined && elapsed() - state.waitingSinceMs > leastMs;
  if (!isLong || signal.aborted) return;
  await orWarn(say.warn, 'no notice was given', async () => {
    const wanted = session.settings.get('notify').value ?? (line.options.notify ? 'desktop' : 'off');
    const { error, record, text = 'done' } = end;
    if (wanted === 'off') return;
    if (wanted === 'bell') return err.notice();
    if (wanted === 'desktop') return err.notice(`${line.path}: ${error?.message ?? text}`);
    await session.notify(
      record ?? { error: { code: error?.kind, message: error?.message } },
      error ? exitCodeOf(error) : 0,
    );
  });
}
