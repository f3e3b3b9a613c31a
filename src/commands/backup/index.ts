import { call } from '../../builders/call.ts';
import { orLatest } from '../../builders/get.ts';
import type { Command, Menu } from '../../contract/command.ts';
import { backups } from '../../resources/backup.ts';
import { backupCheck, findNewestGood } from './check.ts';
import { createBackup, importBackup } from './create.ts';
import { downloadCommand } from './download.ts';
import { urlCommand } from './get.ts';

const orNewest = (command: Command) => orLatest(command, backups.list, findNewestGood);

export const backupCommands: Menu = {
  'backup list': call(backups.list, { examples: ['stackops backup list -s shop --db-type postgresql'] }),
  'backup get': orNewest(call(backups.get, { examples: ['stackops backup get latest -s shop'] })),
  'backup files': orNewest(call(backups.files, { examples: ['stackops backup files 901 -s shop'] })),
  'backup url': orNewest(urlCommand),
  'backup check': backupCheck,
  'backup create': createBackup,
  'backup import': importBackup,
  'backup download': downloadCommand,
};
