import { coloured, type ScreenBlock, type ScreenText } from '../../contract/screen.ts';
import { ageText } from '../../contract/values/age.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { msOf } from '../../contract/values/moment.ts';
import { sizeText } from '../../contract/values/size.ts';
import { actionState } from '../../resources/action.ts';
import { type DeploymentRow, isInProgress, stateText } from '../../resources/deployment.ts';
import { healthOf } from '../../resources/server.ts';
import { kindOf, shareText } from '../../resources/variant.ts';
import type { CheckedBackup } from '../backup/newest.ts';
import { actionName, beganAt, ownFaults, stackTitle } from './lines.ts';
import { hasFailed } from './problems.ts';
import { countsOf } from './process-counts.ts';
import type { StackStatus } from './record.ts';
import { scopes } from './sections.ts';

type Rows = ScreenBlock['rows'];

/** A stack on one screen. */
export function screenOf(status: StackStatus): readonly ScreenBlock[] {
  const { live, deployments, backups, pending, actions, not_checked, errors } = status;
  const age = ageAt(msOf(status.checked_at));
  return [
    ...block('Stack', [stackRow(status)]),
    ...(deployments ? deploymentBlocks(live, deployments, age) : []),
    ...machineBlocks(status),
    ...block(
      'Backups',
      backups?.flatMap((row) => backupRows(row, age)),
    ),
    ...block(
      'Pending',
      pending?.map(({ key, updated_at }) => [key, 'changed', `${age(updated_at)} ago`]),
    ),
    ...block(
      'Actions',
      actions?.map((row) => [actionName(row), actionState(row), `for ${age(beganAt(row))}`]),
    ),
    ...block('Not checked', not_checked.length > 0 ? [[not_checked.join(', ')]] : undefined),
    ...block('Not read', errors.length > 0 ? [[errors.flatMap(unreadPieces)]] : undefined),
  ];
}

function stackRow(status: StackStatus): Rows[number] {
  return [
    stackTitle(status),
    coloured(status.status ?? 'unknown'),
    ...ownFaults(status).map(({ name, state }) => ({ text: `${name} ${state}`, state: 'problem' })),
    ...(status.busy.length > 0 ? ['busy'] : []),
  ];
}

/** `variants (no redeploy scope)` */
function unreadPieces({ section, code, message }: StackStatus['errors'][number], at: number): readonly ScreenText[] {
  const scope = scopes.get(section);
  const why = code === 'forbidden' && scope ? `no ${scope} scope` : message;
  return [`${at === 0 ? '' : ', '}${section} (`, { text: why, state: 'unreadable' }, ')'];
}

/** The newest backup; below one that is not good the last good one. */
function backupRows(row: CheckedBackup, age: Age): Rows {
  const { database_name, db_type, state, newest_date_iso, backup_date_iso, backup_size } = row;
  const agoText = (at: string | null) => (at === null ? '-' : `${age(at)} ago`);
  const size = backup_size === null ? '-' : sizeText(backup_size);
  if (state !== 'failed') return [[database_name, db_type, coloured(state), agoText(newest_date_iso), size]];
  return [
    [database_name, db_type, coloured(state), agoText(newest_date_iso), '-'],
    ['', '', 'last good', agoText(backup_date_iso), size],
  ];
}

function machineBlocks({ variants, servers, processes }: StackStatus): readonly ScreenBlock[] {
  return [
    ...block(
      'Variants',
      variants?.map((row) => [
        kindOf(row) ?? 'unknown type',
        shareBar(row.percentage),
        shareText(row).padStart(5),
        row.git_hash ? `commit ${shortHash(row.git_hash)}` : '-',
      ]),
    ),
    ...block(
      'Servers',
      servers?.map((row) => [row.name, coloured(healthOf(row)), [row.server_roles ?? []].flat().join(', ') || '-']),
    ),
    ...block(
      'Processes',
      processes?.map((row) => {
        const { total, isUneven } = countsOf(row);
        const where = Object.entries(row.servers ?? {}).map(([server, count]) => `${count} on ${server}`);
        return [row.name, String(total), isUneven ? coloured('uneven') : 'even', where.join(', ')];
      }),
    ),
  ];
}

/** The most rows of one section; the worst come first. */
const mostRows = 5;

function block(label: string, rows: Rows | undefined): readonly ScreenBlock[] {
  if (!rows) return [];
  if (rows.length === 0) return [{ label, rows: [['none']] }];
  if (rows.length <= mostRows) return [{ label, rows }];
  return [{ label, rows: [...rows.slice(0, mostRows), [`and ${rows.length - mostRows} more`]] }];
}

type Age = (at: string | null) => string;

function ageAt(nowMs: number): Age {
  return (at) => (msOf(at) === 0 ? '?' : ageText(Math.max(0, Math.trunc((nowMs - msOf(at)) / 1000))));
}

function deploymentBlocks(
  live: DeploymentRow | null,
  deployments: readonly DeploymentRow[],
  age: Age,
): readonly ScreenBlock[] {
  const running = deployments.filter(isInProgress);
  const bar = deployments.toReversed().flatMap((row, at) => (at === 0 ? [markOf(row)] : [' ', markOf(row)]));
  return [
    { label: 'Live', rows: [[live ? liveText(live, age) : 'none']] },
    ...running.slice(0, 1).map((row) => ({
      label: 'Running',
      rows: [
        [`deployment ${row.id}`, coloured(stateText(row)), ...(row.started_at ? [`for ${age(row.started_at)}`] : [])],
      ],
    })),
    { label: 'Deployments', rows: [deployments.length === 0 ? ['none'] : [bar, countText(deployments)]] },
  ];
}

/** `deployment 1041, commit d8b847d, 20d ago, by mara@harbour.example` */
function liveText(live: DeploymentRow, age: Age): string {
  const commit = live.git_hash ? `, commit ${shortHash(live.git_hash)}` : '';
  const by = live.triggered_by ? `, by ${live.triggered_by}` : '';
  return `deployment ${live.id}${commit}, ${age(live.finished_at ?? live.started_at)} ago${by}`;
}

function markOf(row: DeploymentRow): { readonly text: string; readonly state: string } {
  if (isInProgress(row)) return { text: '>', state: 'deploying' };
  if (hasFailed(row)) return { text: 'x', state: 'failed' };
  return stateText(row) === 'success' ? { text: '+', state: 'success' } : { text: '-', state: stateText(row) };
}

/** `4 success, 1 failed` */
function countText(deployments: readonly DeploymentRow[]): string {
  const states = deployments.map(stateText);
  return [...new Set(states)].map((state) => `${states.filter((one) => one === state).length} ${state}`).join(', ');
}

const barWidth = 10;

/** `[###.......]` */
function shareBar(percent: number): string {
  const full = Math.min(barWidth, Math.max(0, Math.round((Number(percent) / 100) * barWidth) || 0));
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}]`;
}
