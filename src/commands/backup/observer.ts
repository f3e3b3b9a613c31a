import type { Observer, Read, Status } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { type BackupRow, backups } from '../../resources/backup.ts';

type BackupInput = Pick<InputOf<typeof backups.create>, 'stack_id' | 'db_type' | 'frequency'>;
type Snapshot = readonly number[];

/**
 * A backup has finished when there is a new record, one for every requested type of database. Its status codes are not
 * documented: 0 counts as success and 1 as failure, as in the vendor's client. Any other code counts as not known.
 */
export const backupObserver: Observer<BackupInput, Snapshot, Acknowledgement> = {
  snapshot: async (read, input) => (await readRows(read, input)).map(({ id }) => id),
  watch: (read, input, { snapshot, answer }) => ({
    name: 'the backup',
    resume: { path: 'backup list', stack_id: input.stack_id },
    check: async () => {
      if (input.frequency !== undefined || !snapshot) return unseen(answer);
      const fresh = (await readRows(read, input)).filter(({ id }) => !snapshot.includes(id));
      return statusOf(input, fresh, answer) ?? { state: 'running', text: 'queued', value: answer };
    },
  }),
};

function unseen(value: unknown): Status {
  return { state: 'unseen', text: 'the service does not show which backup it made', value };
}

function statusOf(
  { db_type = [] }: BackupInput,
  all: readonly BackupRow[],
  answer: Acknowledgement,
): Status | undefined {
  const kinds = db_type.includes('all') ? [] : db_type;
  const fresh = kinds.length === 0 ? all : all.filter((row) => kinds.some((kind) => kind === row.db_type));
  const awaited = kinds.filter((kind) => !fresh.some((row) => row.db_type === kind));
  if (fresh.length === 0 || awaited.length > 0) return undefined;
  const text = fresh.map(textOf).join(', ');
  const value = { ...answer, backups: fresh };
  if (fresh.some(({ backup_status }) => backup_status === 1)) return { state: 'failed', text, value };
  return { state: fresh.every(({ backup_status }) => backup_status === 0) ? 'good' : 'unseen', text, value };
}

function textOf({ id, db_type, backup_status, backup_result }: BackupRow): string {
  const text = backup_result ? ` (${backup_result})` : '';
  return `backup ${id} of ${db_type} has status ${backup_status}${text}`;
}

function readRows(read: Read, { stack_id }: BackupInput): Promise<readonly BackupRow[]> {
  return read(backups.list, { id: stack_id });
}
