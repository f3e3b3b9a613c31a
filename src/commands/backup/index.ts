import { call } from '../../builders/call.ts';
import { allowLatest } from '../../builders/get.ts';
import type { Command, Menu } from '../../contract/command.ts';
import { backups } from '../../resources/backup.ts';
import { backupCheckCommand, findNewestGoodBackup } from './check.ts';
import { backupCreateCommand, backupImportCommand } from './create.ts';
import { downloadCommand, urlCommand } from './download.ts';

const orNewest = (command: Command) => allowLatest(command, backups.list, findNewestGoodBackup);

export const backupCommands: Menu = {
  'backup list': call(backups.list, { examples: ['stackops backup list -s shop --db-type postgresql'] }),
  'backup get': orNewest(call(backups.get, { examples: ['stackops backup get latest -s shop'] })),
  'backup files': orNewest(call(backups.files, { examples: ['stackops backup files 901 -s shop'] })),
  'backup url': orNewest(urlCommand),
  'backup check': backupCheckCommand,
  'backup create': backupCreateCommand,
  'backup import': backupImportCommand,
  'backup download': downloadCommand,
};
