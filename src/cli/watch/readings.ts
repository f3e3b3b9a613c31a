import type { WatchedRead, WatchReading } from '../../contract/watch.ts';
import { interruptedError, unlessAborted } from '../../errors/cli-error.ts';
import type { App } from '../app.ts';

/** The shortest pause between two reads, even if a read takes long. */
const minPauseMs = 1_000;

/** Yields a reading at each interval until `quitSignal` is aborted. Throws `interrupted` after a signal. */
export async function* readings(
  watched: WatchedRead,
  app: Pick<App, 'signal' | 'sleep'>,
  quitSignal = new AbortController().signal,
): AsyncGenerator<WatchReading<unknown>> {
  const stopSignal = AbortSignal.any([quitSignal, app.signal]);
  while (!quitSignal.aborted) {
    const reading = await unlessAborted(watched.read(quitSignal), stopSignal);
    if (reading) yield reading;
    await unlessAborted(app.sleep(Math.max(minPauseMs, watched.msUntilDue()), stopSignal), stopSignal);
    if (app.signal.aborted) throw interruptedError();
  }
}
