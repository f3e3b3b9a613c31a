import type { CallMore, Context } from '../../contract/command.ts';
import { msOf, relativeText } from '../../contract/values/time.ts';
import type { CliError } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments, recentLimit } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { stackSettings } from '../../resources/setting.ts';
import { sectionReader, sectionsLimitMs } from '../status/section-reader.ts';
import {
  type ActivityEvent,
  actionEvents,
  backupEvents,
  deploymentEvents,
  type EventType,
  type FoundEvent,
  localEvents,
  mergeChanges,
  settingEvents,
  variableEvents,
} from './events.ts';

type Events = readonly FoundEvent[];

export interface ActivityOptions {
  readonly stack_id: string;
  readonly stack: string;
  /** The stack was not named, so it gets no note if it has no events. */
  readonly isOneOfAll?: boolean;
  readonly types: readonly EventType[];
  readonly sinceMs: number;
}

/** The events of one stack, newest first; where there are none, a note tells the last one before. */
export async function readActivity(context: Context, options: ActivityOptions): Promise<readonly ActivityEvent[]> {
  const found = sortEvents(mergeChanges(await readTypes(context, options)));
  const shown = found.filter((event) => rankOf(event) >= options.sinceMs);
  const [last] = found;
  if (shown.length === 0 && last && !options.isOneOfAll) {
    const when = relativeText(new Date(rankOf(last)), context.now());
    context.note(`${options.stack}: last event ${when}: ${last.type} ${last.name}: ${last.event}`);
  }
  return shown;
}

export function sortEvents<Event extends Pick<ActivityEvent, 'time'>>(events: readonly Event[]): readonly Event[] {
  return events.toSorted((one, other) => rankOf(other) - rankOf(one));
}

function rankOf({ time }: Pick<ActivityEvent, 'time'>): number {
  // An event that is still queued has no time and comes first.
  return time === null ? Number.POSITIVE_INFINITY : msOf(time);
}

async function readTypes(context: Context, options: ActivityOptions): Promise<Events> {
  const { types, stack } = options;
  const errors = new Map<EventType, CliError>();
  const signal = context.deadline(sectionsLimitMs);
  const attempt = sectionReader(errors, signal);
  const readers = readersOf(context, options, signal);
  const found = await Promise.all(types.map((type) => attempt(type, readers[type])));
  // Local records show nothing about the state of the service.
  const fromService = types.filter((type) => type !== 'local');
  const needed = fromService.length === 0 ? types : fromService;
  const failures = needed.flatMap((type) => errors.get(type) ?? []);
  if (failures[0] && failures.length === needed.length) throw failures[0];
  for (const type of types) {
    const error = errors.get(type);
    if (!error) continue;
    // Other types of the same stack were read, so a 404 is about this one alone.
    const isMissing = error.details.status === 404;
    // Actions are outside the service's document: a service without them is not at fault.
    if (isMissing && type === 'action') context.note(`${stack}: this service does not list actions`);
    else context.warn(`${stack}: ${type} could not be read: ${isMissing ? `${type} not found (404)` : error.message}`);
  }
  return found.flatMap((events) => events ?? []);
}

function readersOf(
  context: Context,
  { stack_id, sinceMs }: ActivityOptions,
  signal: AbortSignal,
): Readonly<Record<EventType, () => Promise<Events>>> {
  const within = { stack_id };
  const newest = async <Row extends { readonly id: number | null }>(
    read: (more: CallMore) => Promise<readonly Row[]>,
    eventsOf: (row: Row) => Events,
  ): Promise<Events> => {
    const first = await read({ limit: recentLimit, signal });
    // No order is documented.
    const isNewestFirst = first.every(({ id }, at) => at === 0 || Number(id) < Number(first[at - 1]?.id));
    const last = first.slice(-1).flatMap(eventsOf);
    const isPast = last.some((event) => rankOf(event) < sinceMs);
    const isEnough = first.length < recentLimit || (isNewestFirst && isPast);
    return (isEnough ? first : await read({ signal })).flatMap(eventsOf);
  };
  return {
    deployment: () => newest((more) => context.call(deployments.list, within, more), deploymentEvents),
    env: async () =>
      (await context.call(environments.list, within, { signal })).flatMap((row) => variableEvents(row, context)),
    setting: async () =>
      (await context.call(stackSettings.list, within, { signal })).flatMap((row) => settingEvents(row, context)),
    action: () => newest((more) => context.call(actions.list, within, more), actionEvents),
    backup: () => newest((more) => context.call(backups.list, { id: stack_id }, more), backupEvents),
    local: async () => localEvents(context, stack_id),
  };
}
