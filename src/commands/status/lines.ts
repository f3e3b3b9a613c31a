import type { Audience } from '../../contract/command.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { type Action, actionState, idOf } from '../../resources/action.ts';
import { stateText } from '../../resources/deployment.ts';
import { healthOf } from '../../resources/server.ts';
import { titleOf } from '../../resources/stack.ts';
import { kindOf, shareText } from '../../resources/variant.ts';
import { isBad } from './problems.ts';
import { countsOf } from './process-counts.ts';
import type { StackStatus, StatusLine } from './record.ts';

/** Name and environment of the stack, else its UID. */
export function stackTitle({ uid, name, environment }: StackStatus): string {
  return name === null ? uid : titleOf({ name, environment: environment ?? '' });
}

/** One line for each resource of one stack. */
export function statusLines(status: StackStatus): readonly StatusLine[] {
  const { live, deployments, variants, servers, processes, backups, pending, actions, not_checked, errors } = status;
  const line = (section: string, name: string, state: string, since: string | null = null) => ({
    section,
    name,
    state,
    since,
  });
  return [
    line('stack', stackTitle(status), status.status ?? 'unknown'),
    ...ownFaults(status).map(({ name, state }) => line('stack', name, state)),
    ...(deployments ?? []).map((row) =>
      line('deployment', String(row.id), row.id === live?.id ? 'live' : stateText(row), row.started_at ?? null),
    ),
    ...(variants ?? []).map((row) =>
      line('variants', row.uid, `${kindOf(row) ?? 'unknown type'} ${shareText(row)}`, row.created_at ?? null),
    ),
    ...(servers ?? []).map((row) => line('servers', row.name, healthOf(row))),
    ...(processes ?? []).map((row) => {
      const { total, isUneven } = countsOf(row);
      return line('processes', row.name, isUneven ? `${total} uneven` : String(total));
    }),
    ...(backups ?? []).map((row) =>
      line('backups', `${row.db_type} ${row.database_name}`, row.state, row.newest_date_iso),
    ),
    ...(pending ?? []).map(({ key, updated_at }) => line('pending', key, 'changed', updated_at)),
    ...(actions ?? []).map((row) => line('actions', actionName(row), actionState(row), beganAt(row))),
    ...not_checked.map((section) => line(section, '-', 'not checked')),
    ...errors.map(({ section, message }) => line(section, '-', `unreadable: ${message}`)),
  ];
}

/** What the stack says of itself beside its status. */
export function ownFaults({ health, maintenance_mode }: StackStatus): readonly { name: string; state: string }[] {
  return [
    ...(health !== null && isBad(health) ? [{ name: 'health', state: health }] : []),
    ...(maintenance_mode ? [{ name: 'maintenance mode', state: 'on' }] : []),
  ];
}

/** `812 process_scale` */
export function actionName(action: Action): string {
  return [idOf(action), action.action ?? action.action_type].filter((part) => part != null).join(' ');
}

export function beganAt({ started_at, created_at }: Action): string | null {
  return started_at ?? created_at ?? null;
}

/** One line for each stack; a terminal has room for short hashes. */
export function stackLines(found: readonly StackStatus[], { terminal }: Audience): readonly StatusLine[] {
  const commitText = terminal ? shortHash : String;
  return found.map((status) => ({
    section: 'stack',
    uid: status.uid,
    name: status.name ?? status.uid,
    environment: status.environment,
    state: status.status ?? 'unknown',
    commit: status.live?.git_hash ? commitText(status.live.git_hash) : null,
    since: status.live?.finished_at ?? status.live?.started_at ?? null,
    problems:
      [
        ...status.problems,
        ...status.errors.map(({ section }) => `${section} unreadable`),
        ...(terminal ? [] : uncheckedLines([status])),
      ].join(', ') || null,
  }));
}

/** `not checked: backups`; on a terminal once for all stacks. */
export function uncheckedLines([status]: readonly StackStatus[]): readonly string[] {
  return status?.not_checked.length ? [`not checked: ${status.not_checked.join(', ')}`] : [];
}

/** Why sections could not be read: `shop/production, blog/staging: servers not read: no response`. */
export function unreadLines(found: readonly StackStatus[]): readonly string[] {
  const unread = found.flatMap((status) => status.errors.map((error) => ({ ...error, title: stackTitle(status) })));
  return [...new Set(unread.map(({ message }) => message))].map((message) => {
    const alike = unread.filter((one) => one.message === message);
    const titles = new Set(alike.map(({ title }) => title));
    const sections = new Set(alike.map(({ section }) => section));
    return `${[...titles].join(', ')}: ${[...sections].join(', ')} not read: ${message}`;
  });
}
