import { customCommand } from '../../builders/custom-command.ts';
import type { Context } from '../../contract/command.ts';
import { flagWords } from '../../contract/command-line.ts';
import { instant, integer, nullable, oneOf, optional, text } from '../../contract/field.ts';
import type { InputOf } from '../../contract/operation.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { sizeText } from '../../contract/values/text.ts';
import { ageText, msOf } from '../../contract/values/time.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import {
  type BackupRow,
  backups,
  backupsNewestFirst,
  databaseText,
  isGoodBackup,
  resultText,
} from '../../resources/backup.ts';
import { servers } from '../../resources/server.ts';

const backupStates = ['ok', 'stale', 'failed', 'none'] as const;

const BackupCheck = record(
  'backup check',
  {
    db_type: text('Database type.', { heading: 'type' }),
    database_name: text('Database name.', { label: 'database' }),
    state: oneOf(
      backupStates,
      '`stale`: older than allowed; `failed`: a newer one is not good; `none`: there is no good one.',
    ),
    backup_date_iso: nullable(instant('Time of the newest good backup.', { label: 'last good' })),
    age: nullable(integer('Its age.', { unit: 'seconds' })),
    backup_size: nullable(integer('Its size.', { unit: 'bytes', label: 'size' })),
    id: nullable(integer('Its ID.')),
    newest_result: text('Result of the newest backup, good or not.', { label: 'result' }),
    newest_date_iso: nullable(instant('Its time.', { label: 'newest' })),
    newest_age: nullable(integer('Its age.', { unit: 'seconds' })),
    newest_id: nullable(integer('Its ID.')),
    server_uid: nullable(text('UID of the server.')),
    server: optional(text('Name of the server, where several have a database of this name.')),
  },
  ['database_name', 'db_type', 'state', 'newest_date_iso', 'backup_date_iso', 'id'],
  { id: 'database_name' },
);

export type BackupCheckRow = RecordOf<typeof BackupCheck>;

export const backupCheckCommand = customCommand({
  about: 'Check that each database has a recent good backup.',
  params: {
    stack_id: stackParam,
    max_age: optional(
      integer('Oldest backup allowed, such as 12h or 2d (default 24h).', { unit: 'seconds', bareUnit: 'h' }),
    ),
    db_type: backups.list.params.db_type,
  },
  examples: [
    'stackops backup check -s shop --max-age 30d',
    'stackops backup check -s shop --db-type postgresql --max-age 30d',
  ],
  calls: [backups.list, servers.list],
  reply: rows(BackupCheck),
  exits: [[9, 'a backup is stale, failed or missing']],
  run: async (context, { stack_id, max_age: maxAge = 86_400, db_type }) => {
    const listedBackups = await context.call(backups.list, { id: stack_id, ...(db_type && { db_type }) });
    const unnamedChecks = checkBackups(listedBackups, { now: context.now(), maxAge });
    const checks = await withServerNames(context, stack_id, unnamedChecks);
    const faulty = checks.filter(({ state }) => state !== 'ok');
    if (checks.length > 0 && faulty.length === 0) return checks;
    const noBackupText = `no ${db_type ? `${db_type} ` : ''}database has a backup`;
    const message = checks.length === 0 ? noBackupText : faulty.map((one) => errorText(one, maxAge)).join('; ');
    throw new CliError('operation_failed', message, { partial: { value: checks } });
  },
  present: (rows) => (rows.length === 0 ? { kind: 'nothing' } : { kind: 'table', record: BackupCheck, rows }),
});

function errorText(checked: BackupCheckRow, maxAge: number): string {
  const { newest_result, newest_age, age, backup_size } = checked;
  const sizeSuffix = backup_size === null ? '' : ` (${sizeText(backup_size)})`;
  const lastGoodText = age === null ? 'no good backup' : `last good ${ageText(age)} ago${sizeSuffix}`;
  if (checked.state === 'stale') return `${backupFault(checked, maxAge)}, ${lastGoodText}`;
  if (newest_age === null || newest_result === 'succeeded') return `${databaseText(checked)}: ${lastGoodText}`;
  return `${databaseText(checked)}: ${newest_result} ${ageText(newest_age)} ago, ${lastGoodText}`;
}

export interface BackupLimits {
  readonly now: Date;
  /** Maximum age of the newest good backup, in seconds. */
  readonly maxAge: number;
}

/** Checks each database on each server, in the order of the list. A backup with an unknown status is not good. */
export function checkBackups(rows: readonly BackupRow[], limits: BackupLimits): readonly BackupCheckRow[] {
  const databaseBackups = [...groupBy(rows, databaseKey).values()];
  const checks = databaseBackups.map((backups) => checkDatabase(backupsNewestFirst(backups), limits));
  const byTitle = groupBy(checks, databaseText);
  const isTitleShared = (one: BackupCheckRow) => byTitle.get(databaseText(one))?.length !== 1;
  return checks.map((one) => (isTitleShared(one) ? { ...one, server: one.server_uid ?? 'no server' } : one));
}

function databaseKey({ db_type, database_name, server_uid }: BackupRow): string {
  return JSON.stringify([String(db_type), String(database_name), server_uid ?? null]);
}

async function withServerNames(context: Context, stack_id: string, checks: readonly BackupCheckRow[]) {
  if (checks.every(({ server }) => server === undefined)) return checks;
  const listedServers = await readOrUndefined(context.call(servers.list, { stack_id }));
  return checks.map(({ server, ...one }) => {
    const name = listedServers?.find(({ uid }) => uid === one.server_uid)?.name;
    return server === undefined ? one : { ...one, server: name ?? server };
  });
}

function checkDatabase(backups: readonly BackupRow[], { now, maxAge }: BackupLimits): BackupCheckRow {
  const newest = backups[0] as BackupRow;
  const newestGood = backups.find(isGoodBackup);
  const age = ageInSeconds(now, newestGood);
  return {
    db_type: newest.db_type,
    database_name: newest.database_name,
    state: backupState(newest, newestGood, age !== null && age > maxAge),
    backup_date_iso: newestGood?.backup_date_iso ?? null,
    age,
    backup_size: newestGood?.backup_size ?? null,
    id: newestGood?.id ?? null,
    newest_result: resultText(newest),
    newest_date_iso: newest.backup_date_iso ?? null,
    newest_age: ageInSeconds(now, newest),
    newest_id: newest.id ?? null,
    server_uid: newest.server_uid ?? null,
  };
}

function backupState(newest: BackupRow, good: BackupRow | undefined, isStale: boolean): BackupCheckRow['state'] {
  if (!good) return 'none';
  if (newest !== good) return 'failed';
  return isStale ? 'stale' : 'ok';
}

function ageInSeconds(now: Date, row: BackupRow | undefined): number | null {
  const ms = row ? msOf(row.backup_date_iso) : 0;
  return ms === 0 ? null : Math.max(0, Math.round((now.getTime() - ms) / 1000));
}

/** Returns `postgresql shop_prod: the newest backup failed`, or undefined for state `ok`. `maxAge` is in seconds. */
export function backupFault(checked: BackupCheckRow, maxAge: number): string | undefined {
  const { state, newest_result } = checked;
  if (state === 'ok') return undefined;
  const faults = {
    stale: `no good backup within ${ageText(maxAge)}`,
    failed: `the newest backup ${newest_result}`,
    none: 'no good backup',
  };
  return `${databaseText(checked)}: ${faults[state]}`;
}

interface BackupFilters {
  readonly db_type?: InputOf<typeof backups.list>['db_type'] | undefined;
  readonly db?: string | undefined;
}

async function listGoodBackups(context: Context, stack_id: string, { db_type, db }: BackupFilters) {
  const rows = await context.call(backups.list, { id: stack_id, ...(db_type && { db_type }) });
  const goodBackups = rows.filter((row) => isGoodBackup(row) && (db === undefined || row.database_name === db));
  if (goodBackups.length > 0) return backupsNewestFirst(goodBackups);
  const filterText = [db_type, db].filter((word) => word !== undefined).join(' ');
  const hint = { path: 'backup list', stack_id };
  throw new CliError('not_found', `no good backup${filterText ? ` of ${filterText}` : ''}`, { hint });
}

/** Returns the newest good backup of any database. Throws `not_found` if there is no good backup. */
export async function findNewestGoodBackup(context: Context, stack_id: string): Promise<BackupRow> {
  return (await listGoodBackups(context, stack_id, {}))[0] as BackupRow;
}

/** Returns the newest good backup of the one matching database. Throws `not_found`, or `ambiguous` for several. */
export async function findNewestOfOneDatabase(context: Context, stack_id: string, filters: BackupFilters) {
  const goodBackups = await listGoodBackups(context, stack_id, filters);
  const checked = checkBackups(goodBackups, { now: context.now(), maxAge: Infinity });
  const [first, second] = checked;
  if (!first || !second) return goodBackups[0] as BackupRow;
  const named = await withServerNames(context, stack_id, checked);
  const titlesText = named.map((one) => `${databaseText(one)} (backup ${one.id})`).join(', ');
  const isNameDistinct = filters.db === undefined && first.database_name !== second.database_name;
  const nameCorrection = { correction: { add: flagWords('--db', first.database_name) } };
  const listHint = { hint: { path: 'backup list', stack_id } };
  throw new CliError('ambiguous', `which database? ${titlesText}`, isNameDistinct ? nameCorrection : listHint);
}
