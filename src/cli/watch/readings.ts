import type { Watched, WatchReading } from '../../contract/watch.ts';
import { interruptedError, unlessAborted } from '../../errors/cli-error.ts';
import type { App } from '../app.ts';

/** The shortest pause between two reads, even if a read takes long. */
const minPauseMs = 1_000;

/** Yields a reading at each interval until `quit` is aborted. Throws `interrupted` after a signal. */
export async function* readings(
  watched: Watched,
  app: Pick<App, 'signal' | 'sleep'>,
  quit = new AbortController().signal,
): AsyncGenerator<WatchReading<unknown>> {
  const stop = AbortSignal.any([quit, app.signal]);
  while (!quit.aborted) {
    const reading = await unlessAborted(watched.read(quit), stop);
    if (reading) yield reading;
    await unlessAborted(app.sleep(Math.max(minPauseMs, watched.msUntilDue()), stop), stop);
    if (app.signal.aborted) throw interruptedError();
  }
}
