import type { Watched, WatchReading } from '../../contract/watch.ts';
import { interrupted } from '../../errors/cli-error.ts';
import { unlessAborted } from '../../errors/unreadable.ts';
import type { World } from '../app.ts';

/** Between the end of one read and the next, however long the first one took. */
const leastPauseMs = 1_000;

/** Each reading when it is due, until `quit` is aborted. Throws what ends the watch, and interrupted after a signal. */
export async function* readings(
  watched: Watched,
  world: Pick<World, 'signal' | 'sleep'>,
  quit = new AbortController().signal,
): AsyncGenerator<WatchReading<unknown>> {
  const stop = AbortSignal.any([quit, world.signal]);
  while (!quit.aborted) {
    const reading = await unlessAborted(watched.read(quit), stop);
    if (reading) yield reading;
    await unlessAborted(world.sleep(Math.max(leastPauseMs, watched.pauseMs()), stop), stop);
    if (world.signal.aborted) throw interrupted();
  }
}
