import type { PageHandler } from '../../contract/command.ts';
import { rows } from '../../contract/reply.ts';
import type { WatchedRead, WatchedState } from '../../contract/watch.ts';
import type { Run } from '../app.ts';
import { streamList } from '../write-result.ts';
import { readings, StateChange } from './watch-mode.ts';

type States = readonly WatchedState[];

/** Returns the changes in the order of the new states. Changes of states that are gone come last. */
export function stateChanges(before: States, after: States, at: Date): readonly StateChange[] {
  const time = at.toISOString().replace(/\.\d+Z$/, 'Z');
  const oldStates = statesByKey(before);
  const newStates = statesByKey(after);
  const changes = [...newStates].flatMap(([key, { section, name, state }]) => {
    const oldState = oldStates.get(key)?.state ?? null;
    return oldState === state ? [] : [{ time, section, name, before: oldState, after: state }];
  });
  const removals = [...oldStates].flatMap(([key, { section, name, state, isPassing }]) =>
    isPassing || newStates.has(key) ? [] : [{ time, section, name, before: state, after: null }],
  );
  return [...changes, ...removals];
}

function statesByKey(states: States): ReadonlyMap<string, WatchedState> {
  return new Map(states.map((state) => [JSON.stringify([state.section, state.name]), state]));
}

/** Prints the first states as new, then each change, until stdout is closed. */
export async function printChanges(run: Run, watched: WatchedRead): Promise<void> {
  let failure: unknown;
  await streamList(run, rows(StateChange), async (take) => {
    try {
      await streamChanges(run, watched, take);
    } catch (error) {
      failure = error;
    }
  });
  // The printed rows are complete, so the error is thrown unchanged: `streamList` would call the list incomplete.
  if (failure) throw failure;
}

async function streamChanges({ app, say }: Run, watched: WatchedRead, take: PageHandler): Promise<void> {
  let lastStates: States = [];
  let lastReason: string | undefined;
  for await (const { states } of readings(watched, app)) {
    const changes = stateChanges(lastStates, states, app.now());
    lastStates = states;
    const { everyMs, why } = watched.pace();
    if (why !== lastReason && why !== undefined) say.note(`reading every ${Math.round(everyMs / 1000)}s: ${why}`);
    lastReason = why;
    if (!(await take(changes))) return;
  }
}
