import type { Menu } from '../../contract/command.ts';
import { call } from '../../kinds/call.ts';
import { orLatest } from '../../kinds/or-latest.ts';
import { backups } from '../../resources/backup.ts';
import { backupCheck, findNewestGood } from './check.ts';
import { createBackup, importBackup } from './create.ts';
import { downloadCommand, type StorageServices } from './download.ts';
import { urlCommand } from './get.ts';

export function backupCommands(storage: () => Promise<StorageServices>): Menu {
  return {
    'backup list': call(backups.list, { examples: ['stackops backup list -s shop --db-type postgresql'] }),
    'backup get': orLatest(
      call(backups.get, { examples: ['stackops backup get latest -s shop'] }),
      backups.list,
      findNewestGood,
    ),
    'backup files': orLatest(
      call(backups.files, { examples: ['stackops backup files 901 -s shop'] }),
      backups.list,
      findNewestGood,
    ),
    'backup url': orLatest(urlCommand, backups.list, findNewestGood),
    'backup check': backupCheck,
    'backup create': createBackup,
    'backup import': importBackup,
    'backup download': downloadCommand(storage),
  };
}
