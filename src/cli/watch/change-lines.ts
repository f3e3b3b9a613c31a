import type { TakePage } from '../../contract/command.ts';
import { rows } from '../../contract/reply.ts';
import type { Watched, WatchedState } from '../../contract/watch.ts';
import type { View } from '../../output/view.ts';
import { streamList } from '../stream-list.ts';
import type { World } from '../world.ts';
import { StateChange, stateChanges } from './changes.ts';
import { readings } from './readings.ts';

interface LineWatch {
  readonly view: View;
  readonly world: World;
  /** A line for stderr. */
  readonly note: (line: string) => void;
}

/** Prints the states as changes from nothing, then each change, until nobody reads them. */
export async function printChanges(watched: Watched, { view, world, note }: LineWatch): Promise<void> {
  let failure: unknown;
  const eachPage = async (take: TakePage): Promise<void> => {
    try {
      await takeChanges(watched, take, { world, note });
    } catch (error) {
      failure = error;
    }
  };
  await streamList({ reply: rows(StateChange), eachPage }, view, world);
  // What was printed is complete, whatever ends it.
  if (failure) throw failure;
}

async function takeChanges(watched: Watched, take: TakePage, { world, note }: Omit<LineWatch, 'view'>): Promise<void> {
  let known: readonly WatchedState[] = [];
  let reason: string | undefined;
  for await (const { states } of readings(watched, world)) {
    const changes = stateChanges(known, states, world.now());
    known = states;
    const { everyMs, why } = watched.pace();
    if (why !== reason && why !== undefined) note(`reading every ${Math.round(everyMs / 1000)}s: ${why}`);
    reason = why;
    if (!(await take(changes))) return;
  }
}
