import { expect, test } from 'vitest';
import { backupObserver } from '../../../src/commands/backup/create.ts';

const row = (id: number, db_type: string, backup_status: number) => ({
  id,
  db_type,
  backup_status,
  backup_result: '',
});
test.each<readonly [string, object, readonly object[], object]>([
  ['none yet', { db_type: ['redis'] }, [row(1, 'redis', 0)], { state: 'running' }],
  ['one of another kind', { db_type: ['redis'] }, [row(2, 'mysql', 0)], { state: 'running' }],
  ['one of two', { db_type: ['redis', 'mysql'] }, [row(2, 'mysql', 0)], { state: 'running' }],
  [
    'the kind asked for',
    { db_type: ['redis'] },
    [row(3, 'mysql', 1), row(2, 'redis', 0)],
    { state: 'good', value: { backups: [row(2, 'redis', 0)] } },
  ],
  [
    'one that failed',
    { db_type: ['all'] },
    [row(2, 'redis', 1)],
    { state: 'failed', text: 'backup 2 of redis: failed' },
  ],
  ['a code nobody explains', {}, [row(2, 'redis', 7)], { state: 'unseen', text: 'backup 2 of redis: status 7' }],
  ['a schedule', { frequency: '@daily' }, [row(2, 'redis', 0)], { state: 'unseen' }],
])('a backup is seen in the records that were not there before: %s', async (_, input, rows, expected) => {
  const read = async () => rows as never;
  const answered = { snapshot: [1], answer: { ok: true } };
  const watch = backupObserver.watch?.(read, { stack_id: 'shop', ...input }, answered);
  expect(await watch?.check()).toMatchObject(expected);
});
