import type { SandboxContext } from '../context.ts';
import type {
  BackupState,
  DeploymentRecord,
  DeploymentState,
  ServerState,
  SettingState,
  StackState,
  VariableRecord,
} from '../state.ts';
import { fileStamp, isoStamp, madeUpHex } from './made-up.ts';

export const outcomes = {
  pending: { code: 0, meaning: 'pending' },
  success: { code: 1, meaning: 'success' },
  failed: { code: 2, meaning: 'failed' },
  // service.md does not define the outcome of a cancelled deployment. 3 is the next free code.
  cancelled: { code: 3, meaning: 'cancelled' },
} as const;

type RequiredDeploymentFields = Pick<DeploymentRecord, 'id' | 'started_at' | 'git_hash' | 'triggered_by'>;
type DeploymentFields = RequiredDeploymentFields & Partial<DeploymentRecord>;

export function deploymentRow(stackName: string, fields: DeploymentFields): DeploymentRecord {
  const { id, started_at, git_hash, triggered_by, ...more } = fields;
  return {
    id,
    outcome: outcomes.pending,
    started_at,
    finished_at: null,
    git_hash,
    triggered_by,
    triggered_via: { code: 0, meaning: 'web' },
    deploy_type: { code: 0, meaning: 'build' },
    is_live: false,
    is_head: false,
    is_deploying: false,
    deploy_session: madeUpHex(`session ${id}`, 12),
    reverted: null,
    reverted_by: null,
    reverted_at: null,
    commit_url: `https://git.example/harbour/${stackName}/commit/${git_hash}`,
    ...more,
  };
}

export type DeploymentSeed = Omit<RequiredDeploymentFields, 'git_hash'> & Partial<DeploymentRecord>;

export function seedDeployments(stackName: string, seeds: readonly DeploymentSeed[]): DeploymentState[] {
  return seeds.map((seed) => {
    const fields = { outcome: outcomes.success, git_hash: madeUpHex(`commit ${seed.id}`, 40), ...seed };
    return { row: deploymentRow(stackName, fields), phase: 'done', queuedMs: 0, startedMs: 0, fails: false };
  });
}

export type VariableSeed = Pick<VariableRecord, 'key' | 'value'> & Partial<VariableRecord>;

export function variableRow(id: number, { key, value, ...more }: VariableSeed, created_at: string): VariableRecord {
  const flags = { readonly: false, is_password: false, is_generated: false };
  return { id, key, value, ...flags, created_at, updated_at: created_at, history: [], ...more };
}

export function seedVariables(firstId: number, seeds: readonly VariableSeed[]): VariableRecord[] {
  return seeds.map((seed, index) => variableRow(firstId + index, seed, '2025-11-03T10:00:00Z'));
}

/** A setting of the seed. By default it is changeable and has no warning. */
export type SettingSeed = Pick<SettingState, 'key' | 'value'> & Partial<Omit<SettingState, 'takes'>>;

/** `takes` of a setting, by the type of its value. The default is `text`. */
const takesByType: Readonly<Record<string, SettingState['takes']>> = { boolean: 'flag', number: 'integer' };

export function seedSettings(firstId: number, seeds: readonly SettingSeed[]): SettingState[] {
  return seeds.map(({ key, value, ...more }, index) => ({
    id: firstId + index,
    key,
    value,
    takes: takesByType[typeof value] ?? 'text',
    readonly: false,
    warning_text: '',
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-01-19T11:42:00Z',
    ...more,
  }));
}

export interface ServerSeed {
  readonly uid: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly group: number;
  /** Last part of the addresses. */
  readonly host: number;
  readonly health?: number;
  readonly size?: string;
  readonly firstSettingId: number;
}

const region = 'fsn1';
const availability_zone = 'fsn1-dc14';

export function seedServer(stackUid: string, seed: ServerSeed): ServerState {
  const { uid, name, roles, group, host, health = 3, size = 'cx22', firstSettingId } = seed;
  const row = {
    uid,
    vendor_uid: String(40_000_000 + Number.parseInt(madeUpHex(`vendor ${uid}`, 5), 16)),
    name,
    address: `203.0.113.${host}`,
    distro: 'ubuntu',
    distro_version: '22.04',
    dns_record: `${name}.harbour.example`,
    user_name: 'root',
    server_type: 'D',
    server_roles: roles,
    server_group_id: group,
    stack_uid: stackUid,
    has_agent: true,
    params: { availability_zone, size, region, containerservice_instance_profile: null },
    created_at: '2024-02-06T08:22:00Z',
    updated_at: '2026-03-02T05:10:00Z',
    region,
    availability_zone,
    ext_ipv4: `203.0.113.${host}`,
    int_ipv4: `10.0.0.${host}`,
    int_ipv6: null,
    ext_ipv6: `2001:db8:4::${host}`,
    health_state: health,
  };
  const settings = seedSettings(firstSettingId, [
    { key: 'server.name', value: name, warning_text: 'Its name in DNS changes too.' },
    { key: 'disk.space.alert.threshold', value: 80 },
    { key: 'agent.version', value: '3.4.1', readonly: true },
    { key: 'agent.autoupdate', value: true, warning_text: 'The agent restarts.' },
    { key: 'notification.email', value: null },
  ]);
  return { row, settings };
}

/** Returns the server that the autoscaler adds and removes. */
export function seedThirdWebServer(stackUid: string, created_at: string): ServerState {
  const uid = '27ab94f1b185e6c60718293a4b5c6d7e';
  const seed = { uid, name: 'shop-web-3', roles: ['web'], group: 20, host: 13, firstSettingId: 2141 };
  const { row, settings } = seedServer(stackUid, seed);
  return { row: { ...row, created_at }, settings };
}

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
    backup_size: server ? 65_536 : 0,
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

export type BackupSeed = BackupFields & { readonly group: number; readonly parts?: number };

/** Returns backups. `parts` is the number of files: by default 1, or 0 for a failed backup. */
export function seedBackups(stackUid: string, seeds: readonly BackupSeed[]): BackupState[] {
  return seeds.map(({ group, parts, ...facts }) => {
    const row = backupRow(stackUid, facts);
    return { row, group, parts: parts ?? (row.backup_status === 0 ? 1 : 0) };
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
