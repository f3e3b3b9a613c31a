import { coloured, type ScreenBlock } from '../../contract/command.ts';
import type { Operation } from '../../contract/operation.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { shortHash, sizeText } from '../../contract/values/text.ts';
import { msOf } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Action, actionState, actions, hasEnded } from '../../resources/action.ts';
import { type BackupRow, backups, databaseText } from '../../resources/backup.ts';
import {
  type DeploymentRow,
  deployments,
  hasFailed,
  isInProgress,
  liveIn,
  newestFirst,
  outcomeOf,
  recentLimit,
  stateText,
} from '../../resources/deployment.ts';
import { environments, type Variable } from '../../resources/env.ts';
import { joinProcesses, type ProcessRow, processes } from '../../resources/process.ts';
import { healthOf, type ServerRow, servers } from '../../resources/server.ts';
import { healthText, type StackRow, stackStatuses } from '../../resources/stack.ts';
import { shareText, type VariantRow, variantKind, variants } from '../../resources/variant.ts';
import { type BackupLimits, backupFault, checkBackups } from '../backup/check.ts';
import { hasChangedSince, heldValues, unknownStartError } from '../env/value-at.ts';
import { actionName } from './busy.ts';
import type { StackStatus } from './record.ts';

/** Time since a moment: `20d`. */
type Age = (at: string | null) => string;

interface Rows {
  readonly deployment: DeploymentRow;
  readonly variants: VariantRow;
  readonly servers: ServerRow;
  readonly processes: ProcessRow;
  readonly backups: BackupRow;
  readonly pending: Variable;
  readonly actions: Action;
}
export type Section = Exclude<keyof Rows, 'actions'>;
/** A part that is read separately: the stack, its actions, or one section. */
export type StatusPart = 'stack' | keyof Rows;

/** The parts of a stack that were read; others are absent. */
export type Found = { readonly stack?: StackRow | undefined } & {
  readonly [Name in keyof Rows]?: readonly Rows[Name][] | undefined;
};

interface Criteria extends BackupLimits {
  readonly found: Found;
  readonly errors: ReadonlyMap<StatusPart, CliError>;
}

/** The definition of a section: how it is read, judged and shown. */
interface Part<Row, Shown> {
  /** The error of a refused read names the scope of this operation. */
  readonly list: Operation;
  readonly limit?: number;
  /** `slow`: changes seldom, or takes several pages; `deployed`: a deployment changes it. */
  readonly pace?: 'slow' | 'deployed';
  /** Another section that this one cannot be judged without. */
  readonly needs?: Section;
  /** The record of the stack also has a state for it. For several stacks only such sections are read by default. */
  readonly isSummedUp?: true;
  /** The items to show from the rows, or the error. Without it: the rows. */
  shown?(rows: readonly Row[], criteria: Criteria): readonly Shown[] | CliError | undefined;
  /** The problems for `--exit-code`. */
  problems?(shown: readonly Shown[], criteria: Criteria): readonly string[];
  /** The line in a pipe: name, state, and since when. */
  line(row: Shown, status: StackStatus): readonly [name: string, state: string, since?: string | null];
  /** The rows below its label on a terminal, or blocks of its own. */
  readonly label: string;
  cells?(row: Shown, age: Age): ScreenBlock['rows'];
  blocks?(rows: readonly Shown[], status: StackStatus, age: Age): readonly ScreenBlock[];
}

type FieldOf<Name extends keyof Rows> = Name extends 'deployment' ? 'deployments' : Exclude<Name, 'deployment'>;
type Shown<Name extends keyof Rows> = NonNullable<StackStatus[FieldOf<Name>]>[number];

/** The field of the record that shows a section. */
export function fieldOf(name: keyof Rows): FieldOf<keyof Rows> {
  return name === 'deployment' ? 'deployments' : name;
}

/** The order is that of the output. */
const parts: { readonly [Name in keyof Rows]: Part<Rows[Name], Shown<Name>> } = {
  deployment: {
    list: deployments.list,
    // The first page holds the live one.
    limit: recentLimit,
    pace: 'deployed',
    isSummedUp: true,
    shown: (rows) => newestFirst(rows).slice(0, 10),
    problems: (rows, { found: { stack } }) => {
      const last = rows.find(({ finished_at }) => finished_at);
      const failed = last && hasFailed(last) ? [`deployment ${last.id ?? '-'} failed`] : [];
      const unknown = last && outcomeOf(last) === 'unknown' ? [`outcome of deployment ${last.id ?? '-'} unknown`] : [];
      const status = stackStatuses[stack?.status ?? -1];
      const isWorse = status === 'unable to analyse' || (status === 'deployment failed' && failed.length === 0);
      return [
        ...failed,
        ...unknown,
        ...(isWorse ? [`status: ${status}`] : []),
        ...(stack?.maintenance_mode ? ['maintenance mode is on'] : []),
      ];
    },
    line: (row, { live }) => [String(row.id ?? '-'), row.id === live?.id ? 'live' : stateText(row), row.started_at],
    label: 'Deployments',
    blocks: deploymentBlocks,
  },
  variants: {
    list: variants.list,
    pace: 'deployed',
    line: (row) => [row.uid, `${variantKind(row) ?? 'unknown type'} ${shareText(row)}`, row.created_at],
    label: 'Variants',
    cells: (row) => {
      const commit = row.git_hash ? `commit ${shortHash(row.git_hash)}` : '-';
      return [[variantKind(row) ?? 'unknown type', shareBar(row.percentage), shareText(row).padStart(5), commit]];
    },
  },
  servers: {
    list: servers.list,
    pace: 'slow',
    isSummedUp: true,
    shown: (rows) => rows.toSorted((one, other) => rankOf(one) - rankOf(other)),
    problems: (rows, { found: { stack } }) => {
      const bad = rows.map((row) => ({ name: row.name, health: healthOf(row) })).filter(({ health }) => isBad(health));
      const own = healthText(stack?.health ?? 0);
      const isWorse = isBad(own) && !bad.some(({ health }) => health === own);
      return [...bad.map(({ name, health }) => `server ${name} is ${health}`), ...(isWorse ? [`health: ${own}`] : [])];
    },
    line: (row) => [row.name, healthOf(row)],
    label: 'Servers',
    cells: (row) => [[row.name, coloured(healthOf(row)), [row.server_roles ?? []].flat().join(', ') || '-']],
  },
  processes: {
    list: processes.list,
    shown: joinProcesses,
    line: (row) => {
      const { total, spread } = countsOf(row);
      return [row.name, spread === 'even' ? String(total) : `${total} ${spread}`];
    },
    label: 'Processes',
    cells: (row) => {
      const { total, spread } = countsOf(row);
      const where = Object.entries(row.servers ?? {}).map(([server, count]) => `${count} on ${server}`);
      return [[row.name, String(total), spread === 'even' ? spread : coloured(spread), where.join(', ')]];
    },
  },
  backups: {
    list: backups.list,
    pace: 'slow',
    shown: checkBackups,
    problems: (rows, { maxAge }) => rows.flatMap((newest) => backupFault(newest, maxAge) ?? []),
    line: ({ state, newest_date_iso, ...row }) => [databaseText(row), state, newest_date_iso],
    label: 'Backups',
    // The last good backup is below one that is not good.
    cells: ({ database_name, db_type, state, newest_date_iso, backup_date_iso, backup_size }, age) => {
      const agoText = (at: string | null) => (at === null ? '-' : `${age(at)} ago`);
      const newest = [database_name, db_type, coloured(state), agoText(newest_date_iso)];
      const size = backup_size === null ? '-' : sizeText(backup_size);
      if (state !== 'failed') return [[...newest, size]];
      return [
        [...newest, '-'],
        ['', '', 'last good', agoText(backup_date_iso), size],
      ];
    },
  },
  pending: {
    list: environments.list,
    pace: 'slow',
    needs: 'deployment',
    shown: (variables, { found, errors }) => {
      const live = liveIn(found.deployment);
      const startMs = msOf(live?.started_at ?? null);
      if (startMs > 0) {
        const changed = variables.filter((row) => hasChangedSince(row, startMs));
        return changed.map((row) => ({ key: row.key, updated_at: heldValues(row).at(-1)?.set_at ?? row.updated_at }));
      }
      if (live) return unknownStartError(live);
      if (!found.deployment) return errors.get('deployment');
      return new CliError('not_found', `none of the newest ${recentLimit} deployments is live`);
    },
    line: ({ key, updated_at }) => [key, 'changed', updated_at],
    label: 'Pending',
    cells: ({ key, updated_at }, age) => [[key, 'changed', `${age(updated_at)} ago`]],
  },
  actions: {
    list: actions.list,
    limit: recentLimit,
    shown: (rows) => rows.filter((row) => !hasEnded(row)),
    line: (row) => [actionName(row), actionState(row), beganAt(row)],
    label: 'Actions',
    cells: (row, age) => [[actionName(row), actionState(row), `for ${age(beganAt(row))}`]],
  },
};

/** The parts, for a section of any type. */
export const statusParts: { readonly [Name in keyof Rows]: Part<unknown, unknown> } = parts;
export const listedParts = Object.keys(parts) as readonly (keyof Rows)[];
export const sections = listedParts.filter(isSection);
/** The sections that can show a problem. */
export const judgedSections = sections.filter((section) => statusParts[section].problems);

export function isSection(part: StatusPart): part is Section {
  return part !== 'stack' && part !== 'actions';
}

/** The parts that these sections need; the stack and its actions are always read. */
export function partsFor(only: readonly Section[]): readonly StatusPart[] {
  const needed = only.flatMap((section) => [section, statusParts[section].needs]);
  return ['stack', ...sections.filter((section) => needed.includes(section)), 'actions'];
}

function deploymentBlocks(rows: readonly DeploymentRow[], { live }: StackStatus, age: Age): readonly ScreenBlock[] {
  const block = (label: string, cells: ScreenBlock['rows'][number]) => ({ label, rows: [cells] });
  const running = rows.find(isInProgress);
  const since = running?.started_at ? [`for ${age(running.started_at)}`] : [];
  return [
    block('Live', [live ? liveText(live, age) : 'none']),
    ...(running ? [block('Running', [`deployment ${running.id ?? '-'}`, coloured(stateText(running)), ...since])] : []),
    block('Deployments', [rows.length === 0 ? 'none' : countText(rows)]),
  ];
}

function liveText({ id, git_hash, triggered_by, started_at, finished_at }: DeploymentRow, age: Age): string {
  const commit = git_hash ? `, commit ${shortHash(git_hash)}` : '';
  const by = triggered_by ? `, by ${triggered_by}` : '';
  return `deployment ${id ?? '-'}${commit}, ${age(finished_at ?? started_at)} ago${by}`;
}

function countText(rows: readonly DeploymentRow[]): string {
  const counts = [...groupBy(rows, stateText)].map(([state, those]) => `${those.length} ${state}`);
  return `last ${rows.length}: ${counts.join(', ')}`;
}

export function isBad(health: string): boolean {
  return health === 'failed' || health === 'impaired';
}

function rankOf({ health_state }: ServerRow): number {
  // Failed, impaired, unknown (as any other code), building, healthy.
  const worstFirst = [4, 2, 0, 1, 3];
  const rank = worstFirst.indexOf(health_state);
  return rank < 0 ? worstFirst.indexOf(0) : rank;
}

function shareBar(percent: number): string {
  const full = Math.min(10, Math.max(0, Math.round(percent / 10) || 0));
  return `[${'#'.repeat(full).padEnd(10, '.')}]`;
}

function countsOf({ servers, servers_pauses: pauses }: ProcessRow) {
  const counts = Object.entries(servers ?? {});
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  const isPaused = total > 0 && counts.every(([server, count]) => (pauses?.[server] ?? 0) >= count);
  const isUneven = new Set(counts.map(([, count]) => count)).size > 1;
  const spread = isUneven ? 'uneven' : 'even';
  return { total, spread: isPaused ? 'paused' : spread } as const;
}

function beganAt({ started_at, created_at }: Action): string | null {
  return started_at ?? created_at ?? null;
}
