import type { SandboxContext } from '../context.ts';
import type { BackupState, StackState } from '../state.ts';
import { fileStamp, isoStamp } from './made-up.ts';

const newBackupBytes = 65_536;

interface NewBackupOptions {
  readonly group: number;
  readonly type: string;
  readonly skip_tables?: string;
  readonly imported?: boolean;
}

/** Returns a new backup or import. It has failed if the stack has no database of this type. */
export function newBackup({ state, now }: SandboxContext, stack: StackState, options: NewBackupOptions): BackupState {
  const { group, type, skip_tables = '', imported = false } = options;
  const server = stack.servers.find(({ row }) => row.server_roles.includes(type));
  const lastBackup = stack.backups.findLast(({ row }) => row.db_type === type);
  const row = backupRow(stack.row.uid, {
    id: state.next.backup++,
    db_type: type,
    database_name: lastBackup?.row.database_name ?? stack.row.name,
    server_uid: server?.row.uid ?? '',
    backup_date_iso: isoStamp(now),
    backup_size: server ? newBackupBytes : 0,
    skip_tables,
    ...(!server && failedResult(`${stack.row.name} has no ${type} database`)),
    ...(imported && server && { restore_status: 2, restore_result: 'Restored from the import.' }),
  });
  return { row, group, parts: server ? 1 : 0 };
}

type BackupRow = BackupState['row'];
type RequiredBackupField = 'id' | 'server_uid' | 'db_type' | 'database_name' | 'backup_date_iso' | 'backup_size';
/** Fields of a backup row: the required fields, and any others that differ from those of a good backup. */
type BackupFields = Pick<BackupRow, RequiredBackupField> & Partial<BackupRow>;

export function failedResult(backup_result: string): Partial<BackupRow> {
  return { backup_status: 1, backup_result };
}

const groupIdByType: Readonly<Record<string, number>> = { postgresql: 12, redis: 13 };

type BackupSeed = BackupFields & { readonly parts?: number };

/** Returns backups of the nightly schedules. `parts` is the number of files: by default 1, or 0 for a failed backup. */
export function seedBackups(stackUid: string, seeds: readonly BackupSeed[]): BackupState[] {
  return seeds.map(({ parts, ...facts }) => {
    const row = backupRow(stackUid, facts);
    return { row, group: groupIdByType[row.db_type] ?? 0, parts: parts ?? (row.backup_status === 0 ? 1 : 0) };
  });
}

function backupRow(stackUid: string, facts: BackupFields): BackupRow {
  const { id, server_uid, db_type, database_name, backup_date_iso, backup_size, ...more } = facts;
  return {
    id,
    server_uid,
    db_type,
    database_name,
    file_base: `${database_name}_${fileStamp(new Date(backup_date_iso))}`,
    backup_date_iso,
    backup_status: 0,
    backup_result: '',
    restore_status: 0,
    restore_result: null,
    created_at_iso: backup_date_iso,
    updated_at_iso: backup_date_iso,
    verify_status: 0,
    verify_result: null,
    storage_path: `backups/${stackUid}/${id}`,
    skip_tables: '',
    backup_size,
    ...more,
  };
}
