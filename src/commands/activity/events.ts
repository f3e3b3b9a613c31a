import type { RecordOf } from '../../contract/record.ts';
import { ageText } from '../../contract/values/age.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { isoText, msOf } from '../../contract/values/moment.ts';
import { sizeText } from '../../contract/values/size.ts';
import { type Action, actionState, hasEnded, idOf, isDone } from '../../resources/action.ts';
import { Backup, type BackupRow } from '../../resources/backup.ts';
import { type DeploymentRow, isOngoing, stateText } from '../../resources/deployment.ts';
import { isSecret, type Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting.ts';
import type { StackSetting } from '../../resources/stack-setting.ts';
import { displayValue, isPlaceholder } from '../env/variable/value.ts';
import { heldValues } from '../env/variable/value-at.ts';
import { type FoundEvent, isNear } from './merge.ts';
import type { ActivityEvent, EventType } from './record.ts';

type Events = readonly FoundEvent[];
type Shown = { readonly reveal: boolean };

/** One event for each change of its value. */
export function variableEvents(row: Variable, { reveal }: Shown): Events {
  const { key, is_password, created_at } = row;
  const values = heldValues(row).map((held) => ({ ...held, value: held.value ?? 'null' }));
  return values.flatMap(({ value, set_at }, index) => {
    const before = values[index - 1]?.value;
    if (before === value && !isPlaceholder(row)) return [];
    const isHidden =
      !reveal && [before, value].some((one) => one !== undefined && isSecret({ key, value: one, is_password }));
    const shown = (one: string) => valueText(one, isHidden);
    const isFirst = msOf(set_at) === msOf(created_at);
    const event =
      before === undefined
        ? `${isFirst ? 'created' : 'set'} (${shown(value)})`
        : `updated (${shown(before)} -> ${shown(value)})`;
    return timed({ time: set_at, type: 'env', name: key, event, by: null });
  });
}

/** Its last change: the service shows no earlier ones. */
export function settingEvents({ key, value, updated_at }: RecordOf<typeof StackSetting>, { reveal }: Shown): Events {
  const text = settingText(value);
  const isHidden = !reveal && isSecret({ key, value: text, is_password: false });
  const event = `last set to ${valueText(text, isHidden)}`;
  return timed({ time: updated_at ?? null, type: 'setting', name: key, event, by: null });
}

/** Its end, or its start while it is in progress. */
export function deploymentEvents(row: DeploymentRow): Events {
  const { id, git_hash, started_at, finished_at, deploy_type, triggered_by } = row;
  const took = finished_at && started_at ? Math.max(0, msOf(finished_at) - msOf(started_at)) : undefined;
  const commit = git_hash && `commit ${shortHash(git_hash)}`;
  const kind = deploy_type?.meaning;
  const event = [
    stateText(row),
    kind && commit ? `${kind} of ${commit}` : kind || commit,
    took !== undefined && `took ${ageText(Math.trunc(took / 1000))}`,
  ];
  return timed(
    {
      time: finished_at ?? started_at ?? null,
      type: 'deployment',
      name: String(id ?? '-'),
      event: event.filter(Boolean).join(', '),
      by: triggered_by ?? null,
    },
    isOngoing(row),
  );
}

/** Its end, else its start, else when it was queued. */
export function actionEvents(row: Action): Events {
  const { finished_at, started_at, created_at, finished_message, user } = row;
  const kind = row.action ?? row.action_type ?? 'action';
  const event = `${kind} ${actionState(row)}`;
  const time = finished_at ?? started_at ?? created_at ?? null;
  return timed(
    {
      time,
      type: 'action',
      name: String(idOf(row) ?? '-'),
      event: finished_message ? `${event}: ${finished_message}` : event,
      by: user ?? null,
      causes: (other) => changedBy(kind, other) && isNear(time, other.time),
      detail: hasEnded(row) && !isDone(row) ? (finished_message ?? undefined) : undefined,
    },
    !hasEnded(row),
  );
}

/** Whether an action of this kind changes what the event is about. */
function changedBy(kind: string, { type, name }: ActivityEvent): boolean {
  if (type === 'setting') return kind === `stack-set: ${name}`;
  const kinds: Partial<Record<EventType, RegExp>> = { deployment: /deploy/i, backup: /backup/i, env: /^env-var/i };
  return kinds[type]?.test(kind) ?? false;
}

export function backupEvents(row: BackupRow): Events {
  const { id, backup_status: status, backup_result: result, db_type, database_name, backup_size: size } = row;
  const state = Backup.fields.backup_status.meanings?.[status] ?? `status ${status ?? 'unknown'}`;
  const detail = state === 'ok' ? size != null && sizeText(size) : result;
  const event = [state, `${db_type} ${database_name}`, detail].filter(Boolean).join(', ');
  return timed({ time: row.backup_date_iso ?? null, type: 'backup', name: String(id ?? '-'), event, by: null });
}

/** The same in JSON as on a terminal, so without the length of a secret. */
function valueText(value: string, isHidden: boolean): string {
  return isHidden ? '***' : displayValue(value, false, { terminal: false, reveal: true });
}

/** The event with its time in UTC. Without a time only what is in progress is an event. */
function timed(event: FoundEvent, isOngoing = false): Events {
  const ms = msOf(event.time);
  if (ms === 0) return isOngoing ? [{ ...event, time: null }] : [];
  return [{ ...event, time: isoText(new Date(ms)) }];
}
