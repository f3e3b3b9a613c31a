import type { Result } from '../output/render.ts';
import { exitCodeOf } from '../problems/exit-codes.ts';
import { orWarn } from '../problems/or-warn.ts';
import type { Problem } from '../problems/problem.ts';
import type { Run } from './world.ts';

/** During a shorter wait nobody looks away. */
const leastMs = 10_000;

/** Tells somebody who looked away that a wait is over, if they asked for it. A failure of that is a warning. */
export async function notifyEnd(run: Run, result: Result | undefined, error?: Problem): Promise<void> {
  const { line, world, session, say, state } = run;
  const { err, elapsed, signal } = world;
  const isLong = state.waitingSinceMs !== undefined && elapsed() - state.waitingSinceMs > leastMs;
  if (!isLong || signal.aborted) return;
  await orWarn(say.warn, 'no notice was given', async () => {
    const wanted = session.settings.get('notify').value ?? (line.options.notify ? 'desktop' : 'off');
    if (wanted === 'off') return;
    if (wanted === 'bell') return err.notice();
    const [text = 'done'] = result?.presentation.kind === 'done' ? result.presentation.lines : [];
    if (wanted === 'desktop') return err.notice(`${line.path}: ${error?.message ?? text}`);
    await session.notify(
      result?.value ?? { error: { code: error?.kind, message: error?.message } },
      error ? exitCodeOf(error) : 0,
    );
  });
}
