import type { Context } from '../../contract/command.ts';
import { relativeText } from '../../contract/values/age.ts';
import { msOf } from '../../contract/values/moment.ts';
import { Problem } from '../../problems/problem.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { stackSettings } from '../../resources/stack-setting.ts';
import { sectionReader, sectionsLimitMs } from '../section-reader.ts';
import type { Services } from '../services.ts';
import { actionEvents, backupEvents, deploymentEvents, settingEvents, variableEvents } from './events.ts';
import { localEvents } from './local-events.ts';
import { type FoundEvent, mergeChanges } from './merge.ts';
import { type Numbered, type ReadRows, readNewest } from './read-newest.ts';
import type { ActivityEvent, EventType } from './record.ts';

type Events = readonly FoundEvent[];

export interface ActivityOptions {
  readonly stack_id: string;
  /** Its name, for people. */
  readonly stack: string;
  /** Nobody named it, so nothing is said of it where nothing happened. */
  readonly isOneOfAll?: boolean;
  readonly types: readonly EventType[];
  /** The earliest time, in ms. */
  readonly sinceMs: number;
}

/** The events of one stack, newest first; where there are none, a note tells the last one before. */
export async function readActivity(
  context: Context,
  services: Services,
  options: ActivityOptions,
): Promise<readonly ActivityEvent[]> {
  const found = sortEvents(mergeChanges(await readTypes(context, services, options)));
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

/** What is still queued has no time and comes first. */
function rankOf({ time }: Pick<ActivityEvent, 'time'>): number {
  return time === null ? Number.POSITIVE_INFINITY : msOf(time);
}

type Errors = ReadonlyMap<EventType, Problem>;

/** Reads the types side by side. One that fails does not stop the others. */
async function readTypes(context: Context, services: Services, options: ActivityOptions): Promise<Events> {
  const errors = new Map<EventType, Problem>();
  const signal = context.deadline(sectionsLimitMs);
  const attempt = sectionReader(errors, signal);
  const readers = readersOf(context, services, { ...options, signal });
  const found = await Promise.all(options.types.map((type) => attempt(type, readers[type])));
  throwIfNothingWasRead(options.types, errors);
  const { stack } = options;
  for (const type of options.types) {
    const error = errors.get(type);
    if (error) tellUnread(context, { stack, type, error: ofType(type, error) });
  }
  return found.flatMap((events) => events ?? []);
}

/** Other types of the same stack were read, so a 404 is about this one alone. */
function ofType(type: EventType, error: Problem): Problem {
  return error.details.status === 404 ? new Problem('not_found', `${type} not found (404)`, { status: 404 }) : error;
}

interface Unread {
  readonly stack: string;
  readonly type: EventType;
  readonly error: Problem;
}

/** Actions are outside the service's document: a service without them is not at fault. */
function tellUnread(context: Context, { stack, type, error: { message, details } }: Unread): void {
  if (type === 'action' && details.status === 404) context.note(`${stack}: this service does not list actions`);
  else context.warn(`${stack}: ${type} could not be read: ${message}`);
}

/** What this machine has recorded says nothing about the service. */
function throwIfNothingWasRead(types: readonly EventType[], errors: Errors): void {
  const fromService = types.filter((type) => type !== 'local');
  const needed = fromService.length === 0 ? types : fromService;
  const failures = needed.flatMap((type) => errors.get(type) ?? []);
  if (failures[0] && failures.length === needed.length) throw failures[0];
}

interface ReadOptions extends ActivityOptions {
  readonly signal: AbortSignal;
}

function readersOf(
  context: Context,
  services: Services,
  { stack_id, sinceMs, signal }: ReadOptions,
): Readonly<Record<EventType, () => Promise<Events>>> {
  const within = { stack_id };
  const isBefore = (events: Events) => events.some((event) => rankOf(event) < sinceMs);
  const newest = async <Row extends Numbered>(read: ReadRows<Row>, eventsOf: (row: Row) => Events): Promise<Events> =>
    (await readNewest(read, { isBefore: (row) => isBefore(eventsOf(row)), signal })).flatMap(eventsOf);
  return {
    deployment: () => newest((more) => context.call(deployments.list, within, more), deploymentEvents),
    env: async () =>
      (await context.call(environments.list, within, { signal })).flatMap((row) => variableEvents(row, context)),
    setting: async () =>
      (await context.call(stackSettings.list, within, { signal })).flatMap((row) => settingEvents(row, context)),
    action: () => newest((more) => context.call(actions.list, within, more), actionEvents),
    backup: () => newest((more) => context.call(backups.list, { id: stack_id }, more), backupEvents),
    local: async () => localEvents(context, services, stack_id),
  };
}
