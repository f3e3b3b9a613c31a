import type { Context } from '../../contract/command.ts';
import { instant, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { shortHash, sizeText } from '../../contract/values/text.ts';
import { ageText, isoText, msOf } from '../../contract/values/time.ts';
import { type Action, actionIdOf, actionState, hasEnded, isSuccessful } from '../../resources/action.ts';
import { Backup, type BackupRow, databaseText } from '../../resources/backup.ts';
import { type DeploymentRow, hasSucceeded, isUnfinished, stateText } from '../../resources/deployment.ts';
import { isSecretVariable, type Variable, valueAsText } from '../../resources/env.ts';
import { isSecretSetting, type StackSetting } from '../../resources/setting.ts';
import { serviceAddressOf } from '../../settings/settings.ts';
import type { JournalEntry } from '../../writes/journal/entries.ts';
import { historyValues } from '../env/value-at.ts';
import { displayValue, isPlaceholder } from '../env/variable.ts';
import { journalRuns } from '../history/runs.ts';
import { historyRowMaker } from '../history/show.ts';

type FoundEvents = readonly FoundEvent[];
type SettingRow = RecordOf<typeof StackSetting>;
type RevealOption = { readonly reveal: boolean };

export function variableEvents(row: Variable, { reveal }: RevealOption): FoundEvents {
  const { key, is_password, created_at } = row;
  const values = historyValues(row).map((historyValue) => ({ ...historyValue, value: historyValue.value ?? 'null' }));
  return values.flatMap(({ value, set_at }, index) => {
    const previous = values[index - 1];
    // The service may omit values, so the previous value counts only if it was replaced at this time.
    const before = previous?.replaced_at === set_at ? previous.value : undefined;
    if (before === value && !isPlaceholder(row)) return [];
    const shownValues = before === undefined ? [value] : [before, value];
    const isHidden = !reveal && shownValues.some((one) => isSecretVariable({ key, value: one, is_password }));
    const valuesText = shownValues.map((one) => displayValue(one, isHidden)).join(' -> ');
    const firstVerb = msOf(set_at) === msOf(created_at) ? 'created' : 'set';
    const event = `${before === undefined ? firstVerb : 'updated'} (${valuesText})`;
    return withTime({ time: set_at, type: 'env', name: key, event, by: null });
  });
}

/** Returns the event of the last change of a setting. The service shows no earlier changes. */
export function settingEvents({ key, value, updated_at }: SettingRow, { reveal }: RevealOption): FoundEvents {
  const isHidden = !reveal && isSecretSetting({ key, value });
  const event = `last set to ${displayValue(valueAsText(value), isHidden)}`;
  return withTime({ time: updated_at ?? null, type: 'setting', name: key, event, by: null });
}

export function deploymentEvents(row: DeploymentRow): FoundEvents {
  const { id, git_hash, started_at, finished_at, deploy_type, triggered_by } = row;
  const tookMs = finished_at && started_at ? Math.max(0, msOf(finished_at) - msOf(started_at)) : undefined;
  const versionText = [deploy_type?.meaning, git_hash && `commit ${shortHash(git_hash)}`].filter(Boolean).join(' of ');
  const durationText = tookMs !== undefined && `took ${ageText(Math.trunc(tookMs / 1000))}`;
  const event = [stateText(row), versionText, durationText].filter(Boolean).join(', ');
  const [time, by] = [finished_at ?? started_at ?? null, triggered_by ?? null];
  const name = String(id ?? '-');
  return withTime({ time, type: 'deployment', name, event, by, hasSucceeded: hasSucceeded(row) }, isUnfinished(row));
}

export function actionEvents(row: Action): FoundEvents {
  const { finished_at, started_at, created_at, finished_message, user } = row;
  const kind = row.action ?? row.action_type ?? 'action';
  const event = `${kind} ${actionState(row)}`;
  const time = finished_at ?? started_at ?? created_at ?? null;
  const hasFailed = hasEnded(row) && !isSuccessful(row);
  return withTime(
    {
      time,
      type: 'action',
      name: String(actionIdOf(row) ?? '-'),
      event: finished_message ? `${event}: ${finished_message}` : event,
      by: user ?? null,
      causes: (other) => !(hasFailed && other.hasSucceeded) && isCausedByAction(kind, other),
      changeTimes: [time],
      detail: hasFailed ? (finished_message ?? undefined) : undefined,
    },
    !hasEnded(row),
  );
}

function isCausedByAction(kind: string, { type, name }: ActivityEvent): boolean {
  if (type === 'setting') return kind === `stack-set: ${name}`;
  const patterns: Partial<Record<EventType, RegExp>> = { deployment: /deploy/i, backup: /backup/i, env: /^env-var/i };
  return patterns[type]?.test(kind) ?? false;
}

export function backupEvents(row: BackupRow): FoundEvents {
  const { id, backup_status: status, backup_result: result, backup_size: size } = row;
  const statusText = Backup.fields.backup_status.meanings?.[status] ?? `status ${status ?? 'unknown'}`;
  const detail = statusText === 'ok' ? size != null && sizeText(size) : result;
  const event = [statusText, databaseText(row), detail].filter(Boolean).join(', ');
  return withTime({ time: row.backup_date_iso ?? null, type: 'backup', name: String(id ?? '-'), event, by: null });
}

function withTime(event: FoundEvent, isOngoing = false): FoundEvents {
  const ms = msOf(event.time);
  // An operation without a time is an event only while it runs.
  if (ms === 0) return isOngoing ? [{ ...event, time: null }] : [];
  return [{ ...event, time: isoText(new Date(ms)) }];
}

/** Returns an event for each run on this machine, with any profile, that changed the stack at the current address. */
export function localEvents(context: Context, stack_id: string): readonly FoundEvent[] {
  const { embedded, settings } = context.host;
  const address = embedded() ? undefined : serviceAddressOf(settings);
  const toHistoryRow = historyRowMaker(context.host);
  return journalRuns(context).flatMap(({ changes, ...run }) => {
    const [first, ...more] = changes.filter(({ sent }) => sent.stack === stack_id && sent.address === address);
    if (!first) return [];
    const stackChanges = [first, ...more] as const;
    const { number, started_at, command, outcome } = toHistoryRow({ ...run, changes: stackChanges });
    const event = `${command}: ${outcome}`;
    const localEvent = { time: started_at, type: 'local', name: String(number), event, by: 'me' } as const;
    const causes = (other: ActivityEvent) => stackChanges.some((change) => hasCaused(change, other));
    const references = stackChanges.flatMap(({ answered }) => answered?.reference ?? []);
    return [{ ...localEvent, causes, changeTimes: stackChanges.map(({ sent }) => sent.at), references }];
  });
}

function hasCaused({ sent, answered }: JournalEntry, { type, name, time, event }: ActivityEvent): boolean {
  if (answered?.reference === `${type} ${name}`) return true;
  const { at, operation, path, command } = sent;
  const pattern = operationPatterns[type];
  if (!pattern?.test(operation) || !areTimesNear(at, time)) return false;
  // The journal holds no values, so only the name and the time are compared.
  const isNamed = path.endsWith(`/${name}`) || command.some((word) => word === name || word.startsWith(`${name}=`));
  return type === 'backup' || isNamed || (operation.startsWith('POST') && event.startsWith('created'));
}
const operationPatterns: Partial<Record<EventType, RegExp>> = {
  env: /\/environments/,
  setting: /\/settings/,
  backup: /^POST .*\/backups$/,
};

/** An event as it was read, before the events of one change are merged. */
export interface FoundEvent extends ActivityEvent {
  /** For an action or a run of this machine: returns true for an event that it caused. */
  readonly causes?: (other: FoundEvent) => boolean;
  /** True for a deployment that succeeded, so no failed action can have caused it. */
  readonly hasSucceeded?: boolean;
  /** `causes` is called only for events near these times and for the events in `references`. */
  readonly changeTimes?: readonly (string | null)[];
  /** Types and names of events: `deployment 1042`. */
  readonly references?: readonly string[];
  /** Text that is added to each caused event. */
  readonly detail?: string | undefined;
}

/** Merges the events of one change. An action or a run of this machine is replaced by the events that it caused. */
export function mergeEvents(events: readonly FoundEvent[]): readonly ActivityEvent[] {
  const mergedEvents = new Map(events.map((one) => [one, toActivityEvent(one)]));
  const findCandidates = candidateFinder(events);
  const replacements = new Map<FoundEvent, readonly FoundEvent[]>();
  for (const type of ['action', 'local'] as const) {
    for (const cause of events.filter((one) => one.type === type && one.causes)) {
      const causedEvents = [...findCandidates(cause)].filter((one) => one.type !== type && cause.causes?.(one));
      const finalEvents = causedEvents.flatMap((one) => replacements.get(one) ?? [one]);
      if (finalEvents.length === 0) continue;
      mergedEvents.delete(cause);
      replacements.set(cause, finalEvents);
      const { by, detail } = cause;
      for (const finalEvent of finalEvents) {
        const event = mergedEvents.get(finalEvent) ?? finalEvent;
        mergedEvents.set(finalEvent, { ...event, by: by ?? event.by, event: withDetail(event.event, detail) });
      }
    }
  }
  return [...mergedEvents.values()];
}

function withDetail(event: string, detail: string | undefined): string {
  return detail && !event.endsWith(`: ${detail}`) ? `${event}: ${detail}` : event;
}

function toActivityEvent({ time, type, name, event, by }: FoundEvent): ActivityEvent {
  return { time, type, name, event, by };
}

function candidateFinder(found: readonly FoundEvent[]) {
  const events = found.filter(({ type }) => type !== 'local');
  const byMinute = groupBy(events, ({ time }) => minuteOf(time));
  const byName = groupBy(events, ({ type, name }) => `${type} ${name}`);
  const eventsNear = (time: string | null): readonly FoundEvent[] => {
    const minute = minuteOf(time);
    const candidates = [minute - 1, minute, minute + 1].flatMap((one) => byMinute.get(one) ?? []);
    return candidates.filter((event) => areTimesNear(event.time, time));
  };
  return ({ changeTimes = [], references = [] }: FoundEvent): ReadonlySet<FoundEvent> =>
    new Set([...changeTimes.flatMap(eventsNear), ...references.flatMap((name) => byName.get(name) ?? [])]);
}

export const eventTypes = ['deployment', 'env', 'setting', 'action', 'backup', 'local'] as const;
export type EventType = (typeof eventTypes)[number];

export const ActivityEvent = record(
  'event',
  {
    time: nullable(instant('Time of the event; null while it is queued.')),
    type: oneOf(eventTypes, 'Type of event.'),
    name: text('Name or ID of the resource; of a local event its number in `history list`.'),
    event: text('What happened; *** for a secret value.'),
    by: nullable(text('User who did it, where known; me for a change from this machine.')),
    stack: optional(text('Stack, where several are shown.')),
  },
  ['time', 'type', 'name', 'event', 'by'],
  { id: 'name', wrappedColumn: 'event' },
);
export const EventWithStack = { ...ActivityEvent, columns: ['stack', ...ActivityEvent.columns] };
export type ActivityEvent = RecordOf<typeof ActivityEvent>;

/** Largest difference between the times of one change, because the clocks of the service and of this machine differ. */
const nearMs = 60_000;

function areTimesNear(one: string | null, other: string | null): boolean {
  return one === other || Math.abs(msOf(one) - msOf(other)) <= nearMs;
}

function minuteOf(time: string | null): number {
  return Math.floor(msOf(time) / nearMs);
}
