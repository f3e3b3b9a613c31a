import type { Menu } from '../../contract/command.ts';
import { call } from '../../kinds/call.ts';
import { backups } from '../../resources/backup.ts';
import { backupCheck } from './check.ts';
import { createBackup, importBackup } from './create.ts';
import { downloadCommand, type StorageServices } from './download.ts';
import { backupGet, urlCommand } from './get.ts';

export function backupCommands(storage: () => Promise<StorageServices>): Menu {
  return {
    'backup list': call(backups.list, { examples: ['stackops backup list -s shop --db-type postgresql'] }),
    'backup get': backupGet,
    'backup files': call(backups.files, { examples: ['stackops backup files 901 -s shop'] }),
    'backup url': urlCommand,
    'backup check': backupCheck,
    'backup create': createBackup,
    'backup import': importBackup,
    'backup download': downloadCommand(storage),
  };
}
