import { colouredState, type ScreenBlock } from '../../contract/command.ts';
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
  liveDeploymentIn,
  newestFirst,
  outcomeOf,
  recentLimit,
  stateText,
} from '../../resources/deployment.ts';
import { environments, type Variable } from '../../resources/env.ts';
import { countsText, joinProcesses, type ProcessRow, processes } from '../../resources/process.ts';
import { type ServerRow, serverHealthText, servers } from '../../resources/server.ts';
import { healthText, type StackRow, stackStatuses } from '../../resources/stack.ts';
import { trafficShareText, type VariantRow, variantKind, variants } from '../../resources/variant.ts';
import { type BackupLimits, backupFault, checkBackups } from '../backup/check.ts';
import { hasChangedSince, historyValues, unknownStartError } from '../env/value-at.ts';
import { actionName } from './busy.ts';
import type { StackStatus } from './record.ts';

/** A function that returns the time since a moment: `20d`. */
type AgeOf = (at: string | null) => string;

interface PartRows {
  readonly deployment: DeploymentRow;
  readonly variants: VariantRow;
  readonly servers: ServerRow;
  readonly processes: ProcessRow;
  readonly backups: BackupRow;
  readonly pending: Variable;
  readonly actions: Action;
}
export type StatusSection = Exclude<keyof PartRows, 'actions'>;
/** A part that is read separately: the stack, its actions, or one section. */
export type StatusPart = 'stack' | keyof PartRows;

/** The rows of a stack by part. A part that was not read is absent. */
export type RowsByPart = { readonly stack?: StackRow | undefined } & {
  readonly [Name in keyof PartRows]?: readonly PartRows[Name][] | undefined;
};

interface Criteria extends BackupLimits {
  readonly found: RowsByPart;
  readonly errors: ReadonlyMap<StatusPart, CliError>;
}

interface PartDefinition<Row, Item> {
  /** The operation that reads the rows. The error of a refused read names its scope. */
  readonly list: Operation;
  readonly limit?: number;
  /** `slow`: the rows change seldom or take several pages. `deployed`: a deployment changes the rows. */
  readonly pace?: 'slow' | 'deployed';
  /** Another section without which this section cannot be shown. */
  readonly needs?: StatusSection;
  /** True if the stack's record also sums up the section. Only such sections of several stacks are read by default. */
  readonly isInStackSummary?: true;
  /** Returns the items to show, or an error if they are unknown. Without this function the rows are the items. */
  itemsOf?(rows: readonly Row[], criteria: Criteria): readonly Item[] | CliError | undefined;
  /** Returns the problems for `--exit-code`. */
  problemsOf?(items: readonly Item[], criteria: Criteria): readonly string[];
  /** Returns what the line in a pipe shows: name, state, and since when. */
  lineOf(item: Item, status: StackStatus): readonly [name: string, state: string, since?: string | null];
  /** The label of the part on a terminal. `cellsOf` returns the rows below it, or `blocksOf` returns the whole part. */
  readonly label: string;
  cellsOf?(item: Item, ageOf: AgeOf): ScreenBlock['rows'];
  blocksOf?(items: readonly Item[], status: StackStatus, ageOf: AgeOf): readonly ScreenBlock[];
}

type StatusFieldOf<Name extends keyof PartRows> = Name extends 'deployment'
  ? 'deployments'
  : Exclude<Name, 'deployment'>;
type StatusItem<Name extends keyof PartRows> = NonNullable<StackStatus[StatusFieldOf<Name>]>[number];

export function statusFieldOf(name: keyof PartRows): StatusFieldOf<keyof PartRows> {
  return name === 'deployment' ? 'deployments' : name;
}

/** The parts in the order of the output. */
const parts: { readonly [Name in keyof PartRows]: PartDefinition<PartRows[Name], StatusItem<Name>> } = {
  deployment: {
    list: deployments.list,
    // One page is enough to find the live deployment.
    limit: recentLimit,
    pace: 'deployed',
    isInStackSummary: true,
    itemsOf: (rows) => newestFirst(rows).slice(0, 10),
    problemsOf: (rows, { found: { stack } }) => {
      const last = rows.find(({ finished_at }) => finished_at);
      const failures = last && hasFailed(last) ? [`deployment ${last.id ?? '-'} failed`] : [];
      const unknowns = last && outcomeOf(last) === 'unknown' ? [`outcome of deployment ${last.id ?? '-'} unknown`] : [];
      const status = stackStatuses[stack?.status ?? -1];
      const isStackWorse = status === 'unable to analyse' || (status === 'deployment failed' && failures.length === 0);
      return [
        ...failures,
        ...unknowns,
        ...(isStackWorse ? [`status: ${status}`] : []),
        ...(stack?.maintenance_mode ? ['maintenance mode is on'] : []),
      ];
    },
    lineOf: (row, { live }) => [String(row.id ?? '-'), row.id === live?.id ? 'live' : stateText(row), row.started_at],
    label: 'Deployments',
    blocksOf: deploymentBlocks,
  },
  variants: {
    list: variants.list,
    pace: 'deployed',
    lineOf: (row) => [row.uid, `${variantKind(row) ?? 'unknown type'} ${trafficShareText(row)}`, row.created_at],
    label: 'Variants',
    cellsOf: (row) => {
      const commit = row.git_hash ? `commit ${shortHash(row.git_hash)}` : '-';
      return [
        [variantKind(row) ?? 'unknown type', shareBar(row.percentage), trafficShareText(row).padStart(5), commit],
      ];
    },
  },
  servers: {
    list: servers.list,
    pace: 'slow',
    isInStackSummary: true,
    itemsOf: (rows) => rows.toSorted((one, other) => healthRank(one) - healthRank(other)),
    problemsOf: (rows, { found: { stack } }) => {
      const badServers = rows.filter((row) => isBadHealth(serverHealthText(row)));
      const stackHealth = healthText(stack?.health ?? 0);
      const isStackWorse = isBadHealth(stackHealth) && !badServers.some((row) => serverHealthText(row) === stackHealth);
      const problems = badServers.map((row) => `server ${row.name} is ${serverHealthText(row)}`);
      return isStackWorse ? [...problems, `health: ${stackHealth}`] : problems;
    },
    lineOf: (row) => [row.name, serverHealthText(row)],
    label: 'Servers',
    cellsOf: (row) => [
      [row.name, colouredState(serverHealthText(row)), [row.server_roles ?? []].flat().join(', ') || '-'],
    ],
  },
  processes: {
    list: processes.list,
    itemsOf: joinProcesses,
    lineOf: (row) => {
      const { total, spread } = processCounts(row);
      return [row.name, spread === 'even' ? String(total) : `${total} ${spread}`];
    },
    label: 'Processes',
    cellsOf: (row) => {
      const { total, spread } = processCounts(row);
      const spreadState = spread === 'even' ? spread : colouredState(spread);
      return [[row.name, String(total), spreadState, countsText(row.servers ?? {})]];
    },
  },
  backups: {
    list: backups.list,
    pace: 'slow',
    itemsOf: checkBackups,
    problemsOf: (rows, { maxAge }) => rows.flatMap((newest) => backupFault(newest, maxAge) ?? []),
    lineOf: ({ state, newest_date_iso, ...row }) => [databaseText(row), state, newest_date_iso],
    label: 'Backups',
    // A failed backup has the last good backup in the row below.
    cellsOf: ({ database_name, db_type, state, newest_date_iso, backup_date_iso, backup_size }, ageOf) => {
      const agoTextOf = (at: string | null) => (at === null ? '-' : `${ageOf(at)} ago`);
      const newestCells = [database_name, db_type, colouredState(state), agoTextOf(newest_date_iso)];
      const size = backup_size === null ? '-' : sizeText(backup_size);
      const lastGoodCells = ['', '', 'last good', agoTextOf(backup_date_iso), size];
      return state === 'failed' ? [[...newestCells, '-'], lastGoodCells] : [[...newestCells, size]];
    },
  },
  pending: {
    list: environments.list,
    pace: 'slow',
    needs: 'deployment',
    itemsOf: (variables, { found, errors }) => {
      if (!found.deployment) return errors.get('deployment');
      const live = liveDeploymentIn(found.deployment);
      if (!live) return new CliError('not_found', `none of the newest ${recentLimit} deployments is live`);
      const startMs = msOf(live.started_at);
      if (startMs <= 0) return unknownStartError(live);
      const changed = variables.filter((row) => hasChangedSince(row, startMs));
      return changed.map((row) => ({ key: row.key, updated_at: historyValues(row).at(-1)?.set_at ?? row.updated_at }));
    },
    lineOf: ({ key, updated_at }) => [key, 'changed', updated_at],
    label: 'Pending',
    cellsOf: ({ key, updated_at }, ageOf) => [[key, 'changed', `${ageOf(updated_at)} ago`]],
  },
  actions: {
    list: actions.list,
    limit: recentLimit,
    itemsOf: (rows) => rows.filter((row) => !hasEnded(row)),
    lineOf: (row) => [actionName(row), actionState(row), beganAt(row)],
    label: 'Actions',
    cellsOf: (row, ageOf) => [[actionName(row), actionState(row), `for ${ageOf(beganAt(row))}`]],
  },
};

/** `parts` for code that does not know the type of the rows. */
export const statusParts: { readonly [Name in keyof PartRows]: PartDefinition<unknown, unknown> } = parts;
export const listedParts = Object.keys(parts) as readonly (keyof PartRows)[];
export const sections = listedParts.filter(isSection);
export const judgedSections = sections.filter((section) => statusParts[section].problemsOf);

export function isSection(part: StatusPart): part is StatusSection {
  return part !== 'stack' && part !== 'actions';
}

/** Returns the parts that these sections need, always with the stack and its actions. */
export function partsFor(only: readonly StatusSection[]): readonly StatusPart[] {
  const neededSections = only.flatMap((section) => [section, statusParts[section].needs]);
  return ['stack', ...sections.filter((section) => neededSections.includes(section)), 'actions'];
}

function deploymentBlocks(rows: readonly DeploymentRow[], { live }: StackStatus, ageOf: AgeOf): readonly ScreenBlock[] {
  const makeBlock = (label: string, cells: ScreenBlock['rows'][number]) => ({ label, rows: [cells] });
  const running = rows.find(isInProgress);
  const elapsedCells = running?.started_at ? [`for ${ageOf(running.started_at)}`] : [];
  return [
    makeBlock('Live', [live ? liveText(live, ageOf) : 'none']),
    ...(running
      ? [makeBlock('Running', [`deployment ${running.id ?? '-'}`, colouredState(stateText(running)), ...elapsedCells])]
      : []),
    makeBlock('Deployments', [rows.length === 0 ? 'none' : stateCountsText(rows)]),
  ];
}

function liveText({ id, git_hash, triggered_by, started_at, finished_at }: DeploymentRow, ageOf: AgeOf): string {
  const commit = git_hash ? `, commit ${shortHash(git_hash)}` : '';
  const by = triggered_by ? `, by ${triggered_by}` : '';
  return `deployment ${id ?? '-'}${commit}, ${ageOf(finished_at ?? started_at)} ago${by}`;
}

function stateCountsText(rows: readonly DeploymentRow[]): string {
  const countTexts = [...groupBy(rows, stateText)].map(([state, group]) => `${group.length} ${state}`);
  return `last ${rows.length}: ${countTexts.join(', ')}`;
}

export function isBadHealth(health: string): boolean {
  return health === 'failed' || health === 'impaired';
}

function healthRank({ health_state }: ServerRow): number {
  // The codes of failed, impaired, unknown, building and healthy. Any other code ranks as unknown.
  const codesWorstFirst = [4, 2, 0, 1, 3];
  const rank = codesWorstFirst.indexOf(health_state);
  return rank < 0 ? codesWorstFirst.indexOf(0) : rank;
}

function shareBar(percent: number): string {
  const filledWidth = Math.min(10, Math.max(0, Math.round(percent / 10) || 0));
  return `[${'#'.repeat(filledWidth).padEnd(10, '.')}]`;
}

function processCounts({ servers, servers_pauses: pauses }: ProcessRow) {
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
