import type { SandboxContext } from '../context.ts';
import type { BackupState, StackState } from '../state.ts';
import { fileStamp, stamp } from './made-up.ts';

const newBytes = 65_536;

/** A new backup or import; it fails if the stack has no such database. */
export function newBackup(
  { state, now }: SandboxContext,
  stack: StackState,
  group: number,
  { type, skip_tables = '', imported = false }: { type: string; skip_tables?: string; imported?: boolean },
): BackupState {
  const server = stack.servers.find(({ row }) => row.server_roles.includes(type));
  const earlier = stack.backups.findLast(({ row }) => row.db_type === type);
  const row = backupRow(stack.row.uid, {
    id: state.next.backup++,
    db_type: type,
    database_name: earlier?.row.database_name ?? stack.row.name,
    server_uid: server?.row.uid ?? '',
    backup_date_iso: stamp(now),
    backup_size: server ? newBytes : 0,
    skip_tables,
    ...(!server && failed(`${stack.row.name} has no ${type} database`)),
    ...(imported && server && { restore_status: 2, restore_result: 'Restored from the import.' }),
  });
  return { row, group, parts: server ? 1 : 0 };
}

type BackupRow = BackupState['row'];
type OwnFacts = 'id' | 'server_uid' | 'db_type' | 'database_name' | 'backup_date_iso' | 'backup_size';
/** The required fields of a backup; the others default to those of a good backup. */
type BackupFacts = Pick<BackupRow, OwnFacts> & Partial<BackupRow>;

export function failed(backup_result: string): Partial<BackupRow> {
  return { backup_status: 1, backup_result };
}

const groupOf: Readonly<Record<string, number>> = { postgresql: 12, redis: 13 };

/** Backups of the nightly schedules; with `parts`, backups of several files. */
export function seedBackups(
  stack: string,
  seeds: readonly (BackupFacts & { readonly parts?: number })[],
): BackupState[] {
  return seeds.map(({ parts, ...facts }) => {
    const row = backupRow(stack, facts);
    return { row, group: groupOf[row.db_type] ?? 0, parts: parts ?? (row.backup_status === 0 ? 1 : 0) };
  });
}

function backupRow(stack: string, facts: BackupFacts): BackupRow {
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
    storage_path: `backups/${stack}/${id}`,
    skip_tables: '',
    backup_size,
    ...more,
  };
}
