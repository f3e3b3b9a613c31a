import type { HeldBackup, HeldStack, StoredBackup } from '../state.ts';
import type { SandboxWorld } from '../world.ts';
import { fileStamp, stamp } from './made-up.ts';

const newBytes = 65_536;

interface NewBackup {
  readonly group: number;
  readonly type: string;
  readonly skip_tables?: string;
  readonly imported?: boolean;
}

/** The backup made by a creation or import; a failed one if the stack has no such database. */
export function newBackup(
  { state, now }: SandboxWorld,
  stack: HeldStack,
  { group, type, skip_tables = '', imported = false }: NewBackup,
): HeldBackup {
  const server = stack.servers.find(({ row }) => row.server_roles.includes(type));
  const earlier = stack.backups.findLast(({ row }) => row.db_type === type);
  const row = backupRow(stack.row.uid, {
    id: state.next.backup++,
    type,
    database: earlier?.row.database_name ?? stack.row.name,
    server: server?.row.uid ?? '',
    takenAt: stamp(now),
    bytes: server ? newBytes : 0,
    ...(!server && { fault: `${stack.row.name} has no ${type} database` }),
  });
  const restored = { restore_status: 2, restore_result: 'Restored from the import.' };
  return { row: { ...row, skip_tables, ...(imported && server && restored) }, group, parts: server ? 1 : 0 };
}

interface BackupSeed {
  readonly id: number;
  readonly type: string;
  readonly database: string;
  readonly server: string;
  readonly takenAt: string;
  readonly bytes: number;
  readonly fault?: string;
}

const groupOf: Readonly<Record<string, number>> = { postgresql: 12, redis: 13 };

/** Backups of the nightly schedules; of several files where `parts` says so. */
export function seedBackups(
  stack: string,
  seeds: readonly (readonly [seed: BackupSeed, changes?: Partial<StoredBackup>, parts?: number])[],
): HeldBackup[] {
  return seeds.map(([seed, changes = {}, parts = 1]) => ({
    row: { ...backupRow(stack, seed), ...changes },
    group: groupOf[seed.type] ?? 0,
    parts,
  }));
}

function backupRow(stack: string, seed: BackupSeed): StoredBackup {
  const { id, type, database, server, takenAt, bytes, fault } = seed;
  return {
    id,
    server_uid: server,
    db_type: type,
    database_name: database,
    file_base: `${database}_${fileStamp(new Date(takenAt))}`,
    backup_date_iso: takenAt,
    backup_status: fault === undefined ? 0 : 1,
    backup_result: fault ?? '',
    restore_status: 0,
    restore_result: null,
    created_at_iso: takenAt,
    updated_at_iso: takenAt,
    verify_status: 0,
    verify_result: null,
    storage_path: `backups/${stack}/${id}`,
    skip_tables: '',
    backup_size: bytes,
  };
}
