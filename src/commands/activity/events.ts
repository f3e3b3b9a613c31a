import type { Context } from '../../contract/command.ts';
import { instant, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { shortHash, sizeText } from '../../contract/values/text.ts';
import { ageText, isoText, msOf } from '../../contract/values/time.ts';
import { type Action, actionState, hasEnded, idOf, isSuccessful } from '../../resources/action.ts';
import { Backup, type BackupRow, databaseText } from '../../resources/backup.ts';
import { type DeploymentRow, hasSucceeded, isOngoing, stateText } from '../../resources/deployment.ts';
import { isSecret, sentText, type Variable } from '../../resources/env.ts';
import { isSecretSetting, type StackSetting } from '../../resources/setting.ts';
import { addressOf } from '../../settings/settings.ts';
import { type JournalEntry, selectRuns } from '../../writes/journal/entries.ts';
import { heldValues } from '../env/value-at.ts';
import { displayValue, isPlaceholder } from '../env/variable.ts';
import { historyRow, linesFor } from '../history/runs.ts';

type Events = readonly FoundEvent[];
type Shown = { readonly reveal: boolean };

/** One event for each change of its value. */
export function variableEvents(row: Variable, { reveal }: Shown): Events {
  const { key, is_password, created_at } = row;
  const values = heldValues(row).map((held) => ({ ...held, value: held.value ?? 'null' }));
  return values.flatMap(({ value, set_at }, index) => {
    const previous = values[index - 1];
    // The service may omit the value between two times.
    const before = previous?.replaced_at === set_at ? previous.value : undefined;
    if (before === value && !isPlaceholder(row)) return [];
    const isHidden =
      !reveal && [before, value].some((one) => one !== undefined && isSecret({ key, value: one, is_password }));
    const shown = (one: string) => displayValue(one, isHidden);
    const isFirst = msOf(set_at) === msOf(created_at);
    const event =
      before === undefined
        ? `${isFirst ? 'created' : 'set'} (${shown(value)})`
        : `updated (${shown(before)} -> ${shown(value)})`;
    return withTime({ time: set_at, type: 'env', name: key, event, by: null });
  });
}

/** The event of its last change: the service shows no earlier ones. */
export function settingEvents({ key, value, updated_at }: RecordOf<typeof StackSetting>, { reveal }: Shown): Events {
  const isHidden = !reveal && isSecretSetting({ key, value });
  const event = `last set to ${displayValue(sentText(value), isHidden)}`;
  return withTime({ time: updated_at ?? null, type: 'setting', name: key, event, by: null });
}

/** The event of the end of a deployment, or of its start while it is in progress. */
export function deploymentEvents(row: DeploymentRow): Events {
  const { id, git_hash, started_at, finished_at, deploy_type, triggered_by } = row;
  const took = finished_at && started_at ? Math.max(0, msOf(finished_at) - msOf(started_at)) : undefined;
  const version = [deploy_type?.meaning, git_hash && `commit ${shortHash(git_hash)}`].filter(Boolean).join(' of ');
  const duration = took !== undefined && `took ${ageText(Math.trunc(took / 1000))}`;
  const event = [stateText(row), version, duration].filter(Boolean).join(', ');
  const [time, by] = [finished_at ?? started_at ?? null, triggered_by ?? null];
  const found = { time, type: 'deployment', name: String(id ?? '-'), event, by } as const;
  return withTime({ ...found, hasSucceeded: hasSucceeded(row) }, isOngoing(row));
}

/** The event of the end of an action, else of its start, else of its request. */
export function actionEvents(row: Action): Events {
  const { finished_at, started_at, created_at, finished_message, user } = row;
  const kind = row.action ?? row.action_type ?? 'action';
  const event = `${kind} ${actionState(row)}`;
  const time = finished_at ?? started_at ?? created_at ?? null;
  const hasFailed = hasEnded(row) && !isSuccessful(row);
  return withTime(
    {
      time,
      type: 'action',
      name: String(idOf(row) ?? '-'),
      event: finished_message ? `${event}: ${finished_message}` : event,
      by: user ?? null,
      causes: (other) => !(hasFailed && other.hasSucceeded) && changedBy(kind, other),
      changedAt: [time],
      detail: hasFailed ? (finished_message ?? undefined) : undefined,
    },
    !hasEnded(row),
  );
}

function changedBy(kind: string, { type, name }: ActivityEvent): boolean {
  if (type === 'setting') return kind === `stack-set: ${name}`;
  const kinds: Partial<Record<EventType, RegExp>> = { deployment: /deploy/i, backup: /backup/i, env: /^env-var/i };
  return kinds[type]?.test(kind) ?? false;
}

export function backupEvents(row: BackupRow): Events {
  const { id, backup_status: status, backup_result: result, backup_size: size } = row;
  const state = Backup.fields.backup_status.meanings?.[status] ?? `status ${status ?? 'unknown'}`;
  const detail = state === 'ok' ? size != null && sizeText(size) : result;
  const event = [state, databaseText(row), detail].filter(Boolean).join(', ');
  return withTime({ time: row.backup_date_iso ?? null, type: 'backup', name: String(id ?? '-'), event, by: null });
}

function withTime(event: FoundEvent, isOngoing = false): Events {
  const ms = msOf(event.time);
  // An operation without a time is an event only while it runs.
  if (ms === 0) return isOngoing ? [{ ...event, time: null }] : [];
  return [{ ...event, time: isoText(new Date(ms)) }];
}

/** The changes that this machine made in a stack of this service, with any profile. */
export function localEvents(context: Context, stack_id: string): readonly FoundEvent[] {
  const { embedded, settings } = context.host;
  const here = embedded() ? undefined : addressOf(settings);
  return selectRuns(() => linesFor(context), {}).flatMap(({ changes, ...run }) => {
    const [first, ...others] = changes.filter(({ sent }) => sent.stack === stack_id && sent.address === here);
    if (!first) return [];
    const own = [first, ...others] as const;
    const { number, started_at, command, outcome } = historyRow({ ...run, changes: own }, context.host);
    const event = `${command}: ${outcome}`;
    const row = { time: started_at, type: 'local', name: String(number), event, by: 'me' } as const;
    const causes = (other: ActivityEvent) => own.some((change) => hasChanged(change, other));
    const references = own.flatMap(({ answered }) => answered?.reference ?? []);
    return [{ ...row, causes, changedAt: own.map(({ sent }) => sent.at), references }];
  });
}

function hasChanged({ sent, answered }: JournalEntry, { type, name, time, event }: ActivityEvent): boolean {
  if (answered?.reference === `${type} ${name}`) return true;
  const { at, operation, path, command } = sent;
  const part = parts[type];
  if (!part?.test(operation) || !isNear(at, time)) return false;
  // The journal holds no values.
  const isNamed = path.endsWith(`/${name}`) || command.some((word) => word === name || word.startsWith(`${name}=`));
  return type === 'backup' || isNamed || (operation.startsWith('POST') && event.startsWith('created'));
}
const parts: Partial<Record<EventType, RegExp>> = {
  env: /\/environments/,
  setting: /\/settings/,
  backup: /^POST .*\/backups$/,
};

/** An event as it was read. For an action and a run of this machine, `causes` is true for the events that they caused. */
export interface FoundEvent extends ActivityEvent {
  readonly causes?: (other: FoundEvent) => boolean;
  /** True for a deployment that succeeded: no failed action caused it. */
  readonly hasSucceeded?: boolean;
  /** `causes` is asked only about events near these times, and of these types and names, such as `deployment 1042`. */
  readonly changedAt?: readonly (string | null)[];
  readonly references?: readonly string[];
  /** Text to add to the events that it caused. */
  readonly detail?: string | undefined;
}

/** Merges events of one change: an action or a run of this machine is shown as the event that it caused. */
export function mergeChanges(found: readonly FoundEvent[]): readonly ActivityEvent[] {
  const merged = new Map(found.map((one) => [one, shownOf(one)]));
  const mayBeCausedBy = causedIn(found);
  /** The events that are shown in place of an action. */
  const replacements = new Map<FoundEvent, readonly FoundEvent[]>();
  for (const type of ['action', 'local'] as const) {
    for (const cause of found.filter((one) => one.type === type && one.causes)) {
      const changed = [...mayBeCausedBy(cause)].filter((one) => one.type !== type && cause.causes?.(one));
      const targets = changed.flatMap((one) => replacements.get(one) ?? [one]);
      if (targets.length === 0) continue;
      merged.delete(cause);
      replacements.set(cause, targets);
      const { by, detail } = cause;
      for (const target of targets) {
        const shown = merged.get(target) ?? target;
        merged.set(target, { ...shown, by: by ?? shown.by, event: withDetail(shown.event, detail) });
      }
    }
  }
  return [...merged.values()];
}

function withDetail(event: string, detail: string | undefined): string {
  return detail && !event.endsWith(`: ${detail}`) ? `${event}: ${detail}` : event;
}

function shownOf({ time, type, name, event, by }: FoundEvent): ActivityEvent {
  return { time, type, name, event, by };
}

function causedIn(found: readonly FoundEvent[]) {
  const events = found.filter(({ type }) => type !== 'local');
  const byMinute = groupBy(events, ({ time }) => minuteOf(time));
  const byName = groupBy(events, ({ type, name }) => `${type} ${name}`);
  const near = (time: string | null): readonly FoundEvent[] => {
    const minute = minuteOf(time);
    const around = [minute - 1, minute, minute + 1].flatMap((one) => byMinute.get(one) ?? []);
    return around.filter((event) => isNear(event.time, time));
  };
  return ({ changedAt = [], references = [] }: FoundEvent): ReadonlySet<FoundEvent> =>
    new Set([...changedAt.flatMap(near), ...references.flatMap((name) => byName.get(name) ?? [])]);
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
  { id: 'name', wraps: 'event' },
);
export const StackEvent = { ...ActivityEvent, columns: ['stack', ...ActivityEvent.columns] };
export type ActivityEvent = RecordOf<typeof ActivityEvent>;

/** The clocks of the service and of this machine differ. */
const nearMs = 60_000;

function isNear(one: string | null, other: string | null): boolean {
  return one === other || Math.abs(msOf(one) - msOf(other)) <= nearMs;
}

function minuteOf(time: string | null): number {
  return Math.floor(msOf(time) / nearMs);
}
