import type { Context } from '../../contract/command.ts';
import type { InputOf } from '../../contract/operation.ts';
import { ageText } from '../../contract/values/age.ts';
import { Problem } from '../../problems/problem.ts';
import { type BackupRow, backups } from '../../resources/backup.ts';

export const backupChecks = ['ok', 'stale', 'failed', 'none'] as const;

/** The backups of one database: the newest good one, and whether that is enough. */
export interface NewestBackup {
  readonly db_type: string;
  readonly database_name: string;
  /** `stale`: older than allowed; `failed`: a newer backup failed; `none`: there is no good one. */
  readonly state: (typeof backupChecks)[number];
  /** The newest good one. */
  readonly good: BackupRow | undefined;
  /** Of the newest good one, in seconds. */
  readonly age: number | undefined;
}

interface Limits {
  readonly now: Date;
  /** In seconds. */
  readonly maxAge: number;
}

/** The newest good backup of each database, in the order of the list. A status that is not known to be good is not. */
export function newestBackups(rows: readonly BackupRow[], limits: Limits): readonly NewestBackup[] {
  const databases = new Map<string, readonly [BackupRow, ...BackupRow[]]>();
  for (const row of rows) {
    const key = JSON.stringify([String(row.db_type), String(row.database_name)]);
    databases.set(key, [...(databases.get(key) ?? []), row] as [BackupRow, ...BackupRow[]]);
  }
  return [...databases.values()].map((backups) => newestOf(backups, limits));
}

function newestOf(backups: readonly [BackupRow, ...BackupRow[]], { now, maxAge }: Limits): NewestBackup {
  const [{ db_type, database_name }] = backups;
  const sorted = backups.toSorted((a, b) => timeOf(b) - timeOf(a));
  const good = sorted.find(isGood);
  if (!good) return { db_type, database_name, state: 'none', good, age: undefined };
  const age = Math.max(0, Math.round((now.getTime() - timeOf(good)) / 1000));
  const fresh = sorted[0] === good ? 'ok' : 'failed';
  return { db_type, database_name, state: age > maxAge ? 'stale' : fresh, good, age };
}

/** `postgresql shop_prod: no good backup within 24h`; undefined where nothing is wrong. `maxAge` is in seconds. */
export function backupFault(
  { db_type, database_name, state }: Pick<NewestBackup, 'db_type' | 'database_name' | 'state'>,
  maxAge: number,
): string | undefined {
  if (state === 'ok') return undefined;
  const faults = {
    stale: `no good backup within ${ageText(maxAge)}`,
    failed: 'the newest backup failed',
    none: 'no good backup',
  };
  return `${db_type} ${database_name}: ${faults[state]}`;
}

interface Place {
  readonly stack_id: string;
  readonly db_type?: Exclude<InputOf<typeof backups.list>['db_type'], undefined>;
}

/** The newest good backup of all, or of one type of database; throws not_found. */
export async function findNewestGood(context: Context, { stack_id, db_type }: Place): Promise<BackupRow> {
  const listed = await context.call(backups.list, { id: stack_id, ...(db_type && { db_type }) });
  const [newest] = listed.filter(isGood).toSorted((a, b) => timeOf(b) - timeOf(a));
  if (newest) return newest;
  throw new Problem('not_found', `no good backup${db_type ? ` of ${db_type}` : ''}`, {
    hint: { path: 'backup list', stack_id },
  });
}

function isGood(row: BackupRow): boolean {
  return row.backup_status === 0 && timeOf(row) > 0;
}

/** A backup without a readable time counts as the oldest. */
function timeOf({ backup_date_iso }: BackupRow): number {
  const ms = Date.parse(backup_date_iso ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}
