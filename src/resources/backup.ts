import { flag, instant, integer, many, nullable, oneOf, optional, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { databaseTypes, stackParam } from '../contract/params.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { acknowledgedReply, one, page } from '../contract/reply.ts';
import { msOf } from '../contract/values/time.ts';

/** Names of the codes of a backup's status, from 0, as in the vendor's public client. */
const backupStates = ['ok', 'failed'];
const restoreStates = ['not restored', 'restoring', 'restored', 'failed'];
const verifyStates = ['not verified', 'verifying', 'verified', 'failed', 'unable to verify'];

export const Backup = record(
  'backup',
  {
    id: integer('ID of the backup.'),
    db_type: text('Database type.', { choices: databaseTypes, open: true, heading: 'type' }),
    database_name: text('Database name.', { label: 'database' }),
    backup_date_iso: instant('Time of the backup.', { label: 'backed up' }),
    backup_size: integer('Size.', { unit: 'bytes', label: 'size' }),
    backup_status: integer('Backup status.', { meanings: backupStates, label: 'status' }),
    backup_result: text('Result message.', { label: 'result' }),
    restore_status: integer('Restore status.', { meanings: restoreStates, label: 'restore' }),
    restore_result: nullable(text('Restore message.')),
    verify_status: integer('Verification status.', { meanings: verifyStates, label: 'verification' }),
    verify_result: nullable(text('Verification message.', { label: 'verification result' })),
    server_uid: text('UID of the server.'),
    file_base: text('Prefix of the file names.'),
    storage_path: text('Path in storage.'),
    skip_tables: text('Excluded tables.', { label: 'skipped tables' }),
    created_at_iso: instant('Creation time.'),
    updated_at_iso: instant('Time of the last change.'),
  },
  ['id', 'db_type', 'database_name', 'backup_date_iso', 'backup_size', 'backup_status', 'verify_status'],
);

export type BackupRow = RecordOf<typeof Backup>;

export const BackupFile = record(
  'backup file',
  { id: text('ID of the file (its extension).'), name: text('Name of the file.') },
  ['id', 'name'],
);

export const BackupLink = record(
  'backup link',
  { public_url: secret(text('Signed URL, valid for a limited time.')), ok: flag('Whether the file exists.') },
  ['public_url'],
);

export const backupIdParam = integer('ID of the backup.', { label: 'backup', nameKind: 'backup' });

export const backups = {
  list: operation('GET /stacks/:id/backups', {
    about: 'List the backups of a stack.',
    params: {
      id: stackParam,
      group: optional(integer('Only this backup group.')),
      db_type: optional(oneOf(databaseTypes, 'Only this type of database.', { placeholder: 'type' })),
    },
    reply: page(Backup),
    filters: ['group', 'db_type'],
  }),
  get: operation('GET /stacks/:stack_id/backups/:id', {
    params: { id: backupIdParam },
    reply: one(Backup),
    idParam: 'id',
    listCommand: 'backup list',
    missing: 'backup {id}',
  }),
  files: operation('GET /stacks/:stack_id/backups/:backup_id/files', {
    about: 'List the files of a backup.',
    params: { backup_id: backupIdParam },
    reply: page(BackupFile),
    listCommand: 'backup list',
    missing: 'backup {backup_id}',
  }),
  link: operation('GET /stacks/:stack_id/backups/:backup_id/files/:id', {
    about: 'Print the signed URL of a backup file.',
    params: { backup_id: backupIdParam, id: text('ID of the file.', { label: 'file', nameKind: 'backup file' }) },
    reply: one(BackupLink),
    undocumented: 'In a signed URL `%25` stands for `%`. A URL that the storage host refuses is requested once more.',
    listCommand: 'backup files {backup_id}',
    missing: 'file {id} of backup {backup_id}',
  }),
  create: operation('POST /stacks/:stack_id/backups', {
    scope: 'admin',
    about: 'Create a backup, or schedule backups.',
    params: {
      db_type: optional(
        many(oneOf(['all', ...databaseTypes], 'Type of database.'), 'Types of database with commas, or `all`.', {
          commas: true,
          placeholder: 'types',
        }),
      ),
      frequency: optional(text('Schedule in cron format, such as `0 3 * * *`.', { placeholder: 'schedule' })),
      keep_count: optional(integer('Number of earlier backups to keep.', { range: [1, 10_000] })),
      gzip: optional(flag('Compress the backup.')),
      excluded_tables: optional(text('Tables to leave out, separated by commas.', { placeholder: 'names' })),
      run_on_replica_server: optional(flag('Run on the replica.')),
    },
    reply: acknowledgedReply,
    queues: true,
    check: 'backup list',
    undocumented: 'A request without `remote_url` and `group` creates a backup. Parameters are sent in a JSON body.',
  }),
  import: operation('POST /stacks/:stack_id/backups', {
    scope: 'admin',
    about: 'Import a backup from a URL.',
    params: {
      group: integer('Backup group to restore it in.'),
      db_type: many(oneOf(databaseTypes, 'Type of database.'), 'Types of database, separated by commas.', {
        commas: true,
        placeholder: 'types',
      }),
      remote_url: text('URL of the backup file.', { label: 'url', signed: true }),
    },
    reply: acknowledgedReply,
    queues: true,
    check: 'backup list',
    undocumented: 'A request with `remote_url` and `group` imports a backup. Parameters are sent in a JSON body.',
    missing: 'backup group {group}',
  }),
};

/** Returns a signed URL with `%25` decoded to `%`, as the vendor's client does. */
export function decodedUrl(public_url: string): string {
  return public_url.replaceAll('%25', '%');
}

interface NamedDatabase extends Pick<BackupRow, 'db_type' | 'database_name'> {
  /** Name of the database's server; undefined unless several servers have a database of this name. */
  readonly server?: string | undefined;
}

/** Returns `postgresql shop_prod`, `postgresql shop_prod on shop-db-1`, or `a database` if neither is known. */
export function databaseText({ db_type, database_name, server }: NamedDatabase): string {
  const title = [db_type, database_name].filter((word) => word != null).join(' ') || 'a database';
  return server === undefined ? title : `${title} on ${server}`;
}

export function backupsNewestFirst(backups: readonly BackupRow[]): readonly BackupRow[] {
  return backups.toSorted((a, b) => msOf(b.backup_date_iso) - msOf(a.backup_date_iso));
}

export function isGoodBackup(row: BackupRow): boolean {
  return resultText(row) === 'succeeded' && msOf(row.backup_date_iso) > 0;
}

/** Returns the result of a backup as a verb: `succeeded`, `failed its verification`, `ended with status 7`. */
export function resultText({ backup_status: status, verify_status }: BackupRow): string {
  if (status === 1) return 'failed';
  if (status !== 0) return `ended with status ${status ?? 'unknown'}`;
  return verify_status === 3 ? 'failed its verification' : 'succeeded';
}
