import { instant, integer, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { ageText } from '../../contract/values/age.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { backups } from '../../resources/backup.ts';
import { inStack } from '../../resources/shared.ts';
import { backupChecks, backupFault, type NewestBackup, newestBackups } from './newest.ts';

const BackupCheck = record(
  'backup check',
  {
    db_type: text('Database type.', { heading: 'type' }),
    database_name: text('Database name.', { label: 'database' }),
    state: oneOf(backupChecks, 'Whether the newest good backup is new enough, and no newer one failed.'),
    backup_date_iso: nullable(instant('Time of the newest good backup.', { label: 'backed up' })),
    age: nullable(integer('Its age.', { unit: 'seconds' })),
    id: nullable(integer('ID of that backup.')),
  },
  ['database_name', 'db_type', 'state', 'backup_date_iso', 'id'],
);

/** `backup check`: whether each database has a good backup that is new enough. */
export const backupCheck = script({
  about: 'Check that each database has a recent good backup.',
  params: {
    stack_id: inStack,
    max_age: optional(integer('Oldest backup allowed, such as 12h or 2d (default 24h).', { unit: 'seconds' })),
    db_type: backups.list.params.db_type,
  },
  examples: [
    'stackops backup check -s shop --max-age 30d',
    'stackops backup check -s shop --db-type postgresql --max-age 30d',
  ],
  calls: [backups.list],
  reply: rows(BackupCheck),
  exits: [[9, 'a backup is stale, failed or missing']],
  run: async (context, { stack_id, max_age: maxAge = 86_400, db_type }) => {
    const listed = await context.call(backups.list, { id: stack_id, ...(db_type && { db_type }) });
    const now = context.now();
    const found = newestBackups(listed, { now, maxAge });
    const bad = found.filter(({ state }) => state !== 'ok');
    const value = found.map(({ good, age, ...rest }) => ({
      ...rest,
      backup_date_iso: good?.backup_date_iso ?? null,
      age: age ?? null,
      id: good?.id ?? null,
    }));
    if (found.length > 0 && bad.length === 0) return value;
    const message = found.length === 0 ? 'no database has a backup' : bad.map((one) => faultOf(one, maxAge)).join('; ');
    throw new Problem('operation_failed', message, { partial: { value } });
  },
  present: (found) => ({ kind: 'table', record: BackupCheck, rows: found, empty: 'No backup.' }),
});

/** `postgresql shop_prod: no good backup within 24h (newest: 3d old)` */
function faultOf(newest: NewestBackup, maxAge: number): string {
  const age = newest.state === 'stale' ? ` (newest: ${ageText(newest.age ?? 0)} old)` : '';
  return `${backupFault(newest, maxAge)}${age}`;
}
