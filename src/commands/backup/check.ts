import { integer, optional } from '../../contract/field.ts';
import { rows } from '../../contract/reply.ts';
import { ageText } from '../../contract/values/age.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { backups } from '../../resources/backup.ts';
import { inStack } from '../../resources/shared.ts';
import { BackupCheck, backupFault, type CheckedBackup, lastGoodText, newestBackups } from './newest.ts';

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
    if (found.length > 0 && bad.length === 0) return found;
    const message = found.length === 0 ? 'no database has a backup' : bad.map((one) => faultOf(one, maxAge)).join('; ');
    throw new Problem('operation_failed', message, { partial: { value: found } });
  },
  present: (found) => ({ kind: 'table', record: BackupCheck, rows: found, empty: 'No backup.' }),
});

/** `postgresql shop_prod: failed 45m ago, last good 9h ago (400.0 KiB)` */
function faultOf(checked: CheckedBackup, maxAge: number): string {
  const { db_type, database_name, newest_result, newest_age } = checked;
  const lastGood = lastGoodText(checked);
  if (checked.state === 'stale') return `${backupFault(checked, maxAge)}, last good ${lastGood}`;
  const newest =
    newest_age === null || newest_result === 'succeeded' ? [] : [`${newest_result} ${ageText(newest_age)} ago`];
  return `${db_type} ${database_name}: ${[...newest, lastGood ? `last good ${lastGood}` : 'no good backup'].join(', ')}`;
}
