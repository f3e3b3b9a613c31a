import { instant, nullable, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import type { WatchedState } from '../../contract/watch.ts';

/** One change of a state, as --watch prints it. */
export const StateChange = record(
  'change',
  {
    time: instant('Time of the check.'),
    section: text('Section.'),
    name: text('Name of the resource.'),
    before: nullable(text('State before; null when it is new.')),
    after: nullable(text('State now; null when it is gone.')),
  },
  ['time', 'section', 'name', 'before', 'after'],
  { id: 'name' },
);
export type StateChange = RecordOf<typeof StateChange>;

/** What has changed, in the order of what is shown; what is gone comes last. */
export function stateChanges(
  before: readonly WatchedState[],
  after: readonly WatchedState[],
  at: Date,
): readonly StateChange[] {
  const time = at.toISOString().replace(/\.\d+Z$/, 'Z');
  const known = byKey(before);
  const now = byKey(after);
  const changed = [...now].flatMap(([key, { section, name, state }]) => {
    const earlier = known.get(key)?.state ?? null;
    return earlier === state ? [] : [{ time, section, name, before: earlier, after: state }];
  });
  const gone = [...known].flatMap(([key, { section, name, state, isPassing }]) =>
    isPassing || now.has(key) ? [] : [{ time, section, name, before: state, after: null }],
  );
  return [...changed, ...gone];
}

function byKey(states: readonly WatchedState[]): ReadonlyMap<string, WatchedState> {
  return new Map(states.map((state) => [JSON.stringify([state.section, state.name]), state]));
}
