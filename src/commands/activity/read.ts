import type { CallOptions, Context } from '../../contract/command.ts';
import { msOf, relativeText } from '../../contract/values/time.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments, recentLimit } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { stackSettings } from '../../resources/setting.ts';
import { readSections, sectionsLimitMs } from '../status/read-sections.ts';
import {
  type ActivityEvent,
  actionEvents,
  backupEvents,
  deploymentEvents,
  type EventType,
  type FoundEvent,
  localEvents,
  mergeEvents,
  settingEvents,
  variableEvents,
} from './events.ts';

type Events = readonly FoundEvent[];

export interface ActivityOptions {
  readonly stack_id: string;
  readonly stack: string;
  /** True if the stack was read for --all. Without recent events it then gets no note about its last event. */
  readonly isOneOfAll?: boolean;
  readonly types: readonly EventType[];
  readonly sinceMs: number;
}

/** Reads the events of a stack since `sinceMs`, newest first. Without any, a note names the last earlier event. */
export async function readActivity(context: Context, options: ActivityOptions): Promise<readonly ActivityEvent[]> {
  const events = sortEvents(mergeEvents(await readEventsOfTypes(context, options)));
  const recentEvents = events.filter((event) => rankOf(event) >= options.sinceMs);
  const [last] = events;
  if (recentEvents.length === 0 && last && !options.isOneOfAll) {
    const ageText = relativeText(new Date(rankOf(last)), context.now());
    context.note(`${options.stack}: last event ${ageText}: ${last.type} ${last.name}: ${last.event}`);
  }
  return recentEvents;
}

export function sortEvents<Event extends Pick<ActivityEvent, 'time'>>(events: readonly Event[]): readonly Event[] {
  return events.toSorted((one, other) => rankOf(other) - rankOf(one));
}

function rankOf({ time }: Pick<ActivityEvent, 'time'>): number {
  // An event that is still queued has no time and comes first.
  return time === null ? Number.POSITIVE_INFINITY : msOf(time);
}

async function readEventsOfTypes(context: Context, options: ActivityOptions): Promise<Events> {
  const { types, stack } = options;
  const deadline = context.deadline(sectionsLimitMs);
  const readers = createReaders(context, options, deadline);
  const { values, errors } = await readSections(types, (type) => readers[type](), deadline);
  // Local events do not show whether the service can be read, so only the other types count, if there are any.
  const serviceTypes = types.filter((type) => type !== 'local');
  const neededTypes = serviceTypes.length === 0 ? types : serviceTypes;
  const failures = neededTypes.flatMap((type) => errors.get(type) ?? []);
  if (failures[0] && failures.length === neededTypes.length) throw failures[0];
  for (const type of types) {
    const error = errors.get(type);
    if (!error) continue;
    // Another type of the same stack was read, so a 404 is about this type alone.
    const isTypeMissing = error.details.status === 404;
    // Actions are not in the API document (service.md), so a service without them gets a note and no warning.
    if (isTypeMissing && type === 'action') context.note(`${stack}: this service does not list actions`);
    else
      context.warn(`${stack}: ${type} could not be read: ${isTypeMissing ? `${type} not found (404)` : error.message}`);
  }
  return types.flatMap((type) => values.get(type) ?? []);
}

type NumberedRow = { readonly id: number | null };
type ReadRows<Row> = (options: CallOptions) => Promise<readonly Row[]>;

function createReaders(context: Context, { stack_id, sinceMs }: ActivityOptions, signal: AbortSignal) {
  const input = { stack_id };
  const readNewest = async <Row extends NumberedRow>(read: ReadRows<Row>, eventsOf: (row: Row) => Events) => {
    const page = await read({ limit: recentLimit, signal });
    // The order of the list is not documented, so it is checked.
    const isNewestFirst = page.every(({ id }, at) => at === 0 || Number(id) < Number(page[at - 1]?.id));
    const lastEvents = page.slice(-1).flatMap(eventsOf);
    const hasReachedSince = lastEvents.some((event) => rankOf(event) < sinceMs);
    const isPageEnough = page.length < recentLimit || (isNewestFirst && hasReachedSince);
    return (isPageEnough ? page : await read({ signal })).flatMap(eventsOf);
  };
  return {
    deployment: () => readNewest((more) => context.call(deployments.list, input, more), deploymentEvents),
    env: async () =>
      (await context.call(environments.list, input, { signal })).flatMap((row) => variableEvents(row, context)),
    setting: async () =>
      (await context.call(stackSettings.list, input, { signal })).flatMap((row) => settingEvents(row, context)),
    action: () => readNewest((more) => context.call(actions.list, input, more), actionEvents),
    backup: () => readNewest((more) => context.call(backups.list, { id: stack_id }, more), backupEvents),
    local: async () => localEvents(context, stack_id),
  };
}
