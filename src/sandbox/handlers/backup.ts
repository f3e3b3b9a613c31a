import { databaseTypes } from '../../contract/params.ts';
import { beginNamedAction } from '../actions.ts';
import { type HandlersOf, refuse, stackOf } from '../context.ts';
import { newBackup } from '../seed/rows.ts';
import type { BackupState, StackState } from '../state.ts';
import { backupFiles, signedLink } from '../storage.ts';

export const backupHandlers: HandlersOf<'backups'> = {
  list: (context, { id, group, db_type }) => {
    const { backups } = stackOf(context, id);
    const isGroupUnknown = group !== undefined && backups.some((backup) => backup.group === null);
    if (isGroupUnknown) refuse(403, 'the groups of backups are not in the copy', 'not_in_copy');
    return backups
      .filter((backup) => backup.group === (group ?? backup.group))
      .map(({ row }) => row)
      .filter((row) => row.db_type === (db_type ?? row.db_type))
      .toReversed();
  },
  get: (context, { stack_id, id }) => backupOf(stackOf(context, stack_id), id).row,
  files: (context, { stack_id, backup_id }) =>
    backupFiles(backupOf(stackOf(context, stack_id), backup_id)).map(({ id, name }) => ({ id, name })),
  link: (context, { stack_id, backup_id, id }) => {
    const files = backupFiles(backupOf(stackOf(context, stack_id), backup_id));
    const file = files.find((other) => other.id === id) ?? refuse(404, `file "${id}" not found`);
    return { ok: true, public_url: signedLink(context, file.path) };
  },
  create: (context, { stack_id, db_type = ['all'], frequency, excluded_tables: skip_tables = '' }) => {
    const stack = stackOf(context, stack_id);
    if (frequency !== undefined && !cronPattern.test(frequency)) {
      refuse(400, `frequency "${frequency}" is not a cron schedule of five fields`);
    }
    const types = db_type.includes('all') ? databaseTypesOf(stack) : [...new Set(db_type)];
    beginNamedAction(context, stack, { action: 'backup_create' }, () => {
      const group = context.state.next.backupGroup++;
      stack.backups.push(...types.map((type) => newBackup(context, stack, { group, type, skip_tables })));
      return { message: `Backup of ${types.join(' and ')} created.` };
    });
    return { ok: true, message: `Backup of ${types.join(' and ')} queued for creation` };
  },
  import: (context, { stack_id, group, db_type, remote_url }) => {
    const stack = stackOf(context, stack_id);
    // The group of a backup in a copy is unknown, so any group is accepted for it.
    const mayBeOfGroup = ({ group: backupGroup }: BackupState) => backupGroup === group || backupGroup === null;
    if (!stack.backups.some(mayBeOfGroup)) refuse(404, `backup group ${group} not found`);
    const isWebAddress = URL.canParse(remote_url) && /^https?:$/.test(new URL(remote_url).protocol);
    if (!isWebAddress) refuse(400, 'remote_url must be an http or https address');
    const types = [...new Set(db_type)];
    beginNamedAction(context, stack, { action: 'backup_import' }, () => {
      stack.backups.push(...types.map((type) => newBackup(context, stack, { group, type, imported: true })));
      return { message: `Backup of ${types.join(' and ')} imported.` };
    });
    return { ok: true, message: `Import into backup group ${group} queued for upload` };
  },
};

function backupOf({ backups }: StackState, id: number): BackupState {
  return backups.find(({ row }) => row.id === id) ?? refuse(404, `backup ${id} not found`);
}

function databaseTypesOf({ servers }: StackState): readonly string[] {
  return databaseTypes.filter((type) => servers.some(({ row }) => row.server_roles.includes(type)));
}

/** Matches what looks like a cron schedule: five fields of the usual characters, or a word such as `@daily`. */
const cronPattern = /^(?:@(?:hourly|daily|weekly|monthly|yearly)|(?:[\d*/,\-?A-Za-z]+ ){4}[\d*/,\-?A-Za-z]+)$/;
