import { queueShapeA } from '../actions.ts';
import { newBackup } from '../seed/backup-rows.ts';
import type { HeldBackup, HeldStack, StackEffect } from '../state.ts';
import { backupFiles, signedLink } from '../storage.ts';
import { done, type HandlersOf, type LaterOf, refuse, type SandboxWorld, stackOf } from '../world.ts';

export const backupHandlers: HandlersOf<'backups'> = {
  list: (world, { id, group, db_type }) =>
    stackOf(world, id)
      .backups.filter((backup) => group === undefined || backup.group === group)
      .map(({ row }) => row)
      .filter((row) => db_type === undefined || row.db_type === db_type)
      .toReversed(),
  get: (world, { stack_id, id }) => backupOf(stackOf(world, stack_id), id).row,
  files: (world, { stack_id, backup_id }) =>
    backupFiles(backupOf(stackOf(world, stack_id), backup_id)).map(({ id, name }) => ({ id, name })),
  link: (world, { stack_id, backup_id, id }) => {
    const files = backupFiles(backupOf(stackOf(world, stack_id), backup_id));
    const file = files.find((other) => other.id === id) ?? refuse(404, `file "${id}" not found`);
    return { ok: true, public_url: signedLink(world, file) };
  },
  create: (world, { stack_id, db_type = ['all'], frequency, excluded_tables = '' }) => {
    const stack = stackOf(world, stack_id);
    if (frequency !== undefined) checkCron(frequency);
    const types = db_type.includes('all') ? typesOf(stack) : [...new Set(db_type)];
    const group = world.state.next.backupGroup++;
    queueBackup(world, stack, { kind: 'backup', group, types, skipTables: excluded_tables, imported: false });
    return { ok: true, message: `Backup of ${types.join(' and ')} queued for creation` };
  },
  import: (world, { stack_id, group, db_type, remote_url }) => {
    const stack = stackOf(world, stack_id);
    if (!stack.backups.some((backup) => backup.group === group)) refuse(404, `backup group ${group} not found`);
    const isWebAddress = URL.canParse(remote_url) && /^https?:$/.test(new URL(remote_url).protocol);
    if (!isWebAddress) refuse(400, 'remote_url must be an http or https address');
    queueBackup(world, stack, { kind: 'backup', group, types: [...new Set(db_type)], skipTables: '', imported: true });
    return { ok: true, message: `Import into backup group ${group} queued for upload` };
  },
};

function backupOf({ backups }: HeldStack, id: number): HeldBackup {
  return backups.find(({ row }) => row.id === id) ?? refuse(404, `backup ${id} not found`);
}

function queueBackup(
  world: SandboxWorld,
  stack: HeldStack,
  effect: Extract<StackEffect, { readonly kind: 'backup' }>,
): void {
  const action = effect.imported ? 'backup_import' : 'backup_create';
  queueShapeA(world, stack, { effect, action });
}

const databaseRoles = ['mysql', 'postgresql', 'redis', 'mongodb'];

function typesOf({ servers, row }: HeldStack): readonly string[] {
  const types = databaseRoles.filter((type) => servers.some((server) => server.row.server_roles.includes(type)));
  return types.length > 0 ? types : refuse(400, `stack ${row.name} has no database`);
}

/** Roughly: five fields of the usual characters, or a word such as `@daily`. */
function checkCron(frequency: string): void {
  if (/^@(?:hourly|daily|weekly|monthly|yearly)$/.test(frequency)) return;
  if (!/^(?:[\d*/,\-?A-Za-z]+ ){4}[\d*/,\-?A-Za-z]+$/.test(frequency)) {
    refuse(400, `frequency "${frequency}" is not a cron schedule of five fields`);
  }
}

export const backupLater: LaterOf<'backup'> = {
  backup: {
    end: ({ state, owner, atMs }, effect) => {
      const { types, imported } = effect;
      for (const type of types) owner.backups.push(newBackup(state, owner, { ...effect, type, atMs }));
      return done(`Backup of ${types.join(' and ')} ${imported ? 'imported' : 'created'}.`);
    },
  },
};
