import { msOf } from '../../contract/values/moment.ts';
import type { ActivityEvent } from './record.ts';

/** An event as it was read. An action and a run of this machine know what they changed. */
export interface FoundEvent extends ActivityEvent {
  readonly causes?: (other: ActivityEvent) => boolean;
  /** What it adds to the event of what it changed. */
  readonly detail?: string | undefined;
}

/** One row for one change: what an action or a run of this machine changed takes its place, and says whose it was. */
export function mergeChanges(found: readonly FoundEvent[]): readonly ActivityEvent[] {
  const shown = new Map<FoundEvent, ActivityEvent>(
    found.map(({ causes: _, detail: __, ...event }, at) => [found[at] as FoundEvent, event]),
  );
  /** What was shown in place of an action. */
  const shownFor = new Map<FoundEvent, readonly FoundEvent[]>();
  for (const type of ['action', 'local'] as const) {
    for (const cause of found.filter((one) => one.type === type && one.causes)) {
      const changed = found.filter((one) => one.type !== type && one.type !== 'local' && cause.causes?.(one));
      const places = changed.flatMap((one) => shownFor.get(one) ?? [one]);
      if (places.length === 0) continue;
      shown.delete(cause);
      shownFor.set(cause, places);
      for (const place of places) shown.set(place, explained(shown.get(place) ?? place, cause));
    }
  }
  return [...shown.values()];
}

function explained(event: ActivityEvent, { by, detail }: FoundEvent): ActivityEvent {
  return { ...event, by: by ?? event.by, event: detail ? `${event.event}: ${detail}` : event.event };
}

/** Whether two events are close enough to be one change; clocks differ. */
export function isNear(one: string | null, other: string | null): boolean {
  return one === other || Math.abs(msOf(one) - msOf(other)) <= 60_000;
}
