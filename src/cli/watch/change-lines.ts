import type { TakePage } from '../../contract/command.ts';
import { rows } from '../../contract/reply.ts';
import type { Watched, WatchedState } from '../../contract/watch.ts';
import { streamList } from '../stream-list.ts';
import type { Run } from '../world.ts';
import { StateChange, stateChanges } from './changes.ts';
import { readings } from './readings.ts';

/** Prints the states as changes from nothing, then each change, until nobody reads them. */
export async function printChanges(run: Run, watched: Watched): Promise<void> {
  let failure: unknown;
  await streamList(run, rows(StateChange), async (take) => {
    try {
      await takeChanges(run, watched, take);
    } catch (error) {
      failure = error;
    }
  });
  // What was printed is complete, whatever ends it.
  if (failure) throw failure;
}

async function takeChanges({ world, say }: Run, watched: Watched, take: TakePage): Promise<void> {
  let known: readonly WatchedState[] = [];
  let reason: string | undefined;
  for await (const { states } of readings(watched, world)) {
    const changes = stateChanges(known, states, world.now());
    known = states;
    const { everyMs, why } = watched.pace();
    if (why !== reason && why !== undefined) say.note(`reading every ${Math.round(everyMs / 1000)}s: ${why}`);
    reason = why;
    if (!(await take(changes))) return;
  }
}
