import { type Menu, script } from '../contract/command.ts';
import { Problem } from '../problems/problem.ts';
import { backupMenu, backups } from '../resources/backup.ts';
import { downloadCommand, type StorageServices } from './backup-download.ts';
import { urlCommand } from './backup-link.ts';

const create = script({
  about: backups.create.about,
  params: backups.create.params,
  examples: [
    'stackops backup create -s shop --db-type postgresql --gzip',
    "stackops backup create -s shop --frequency '0 3 * * *' --keep-count 7",
  ],
  calls: [backups.create],
  reply: backups.create.reply,
  run: async (context, input) => {
    if (input.frequency !== undefined) checkSchedule(input.frequency);
    return context.call(backups.create, input);
  },
  present: ({ message }) => ({ kind: 'done', lines: [message || 'The backup is queued.'] }),
});

const importBackup = script({
  about: backups.import.about,
  params: backups.import.params,
  examples: ['stackops backup import -s shop --group 12 --db-type postgresql --url https://files.example.com/shop.tar'],
  calls: [backups.import],
  reply: backups.import.reply,
  run: async (context, input) => {
    checkAddress(input.remote_url);
    return context.call(backups.import, input);
  },
  present: ({ message }) => ({ kind: 'done', lines: [message || 'The import is queued.'] }),
});

/** `backup` and everything below it. */
export function backupCommands(storage: StorageServices): Menu {
  return {
    ...backupMenu,
    'backup url': urlCommand,
    'backup create': create,
    'backup import': importBackup,
    'backup download': downloadCommand(storage),
  };
}

/** Five fields of digits and signs; what they mean is for the service to say. */
function checkSchedule(given: string): void {
  if (/^@(hourly|daily|weekly|monthly|yearly)$/.test(given)) return;
  if (/^[\d*/,-]+ [\d*/,-]+ [\d*/,?LW-]+ [\w*/,-]+ [\w*/,?#-]+$/.test(given)) return;
  throw new Problem(
    'usage',
    `--frequency is "${given}"; it must be five fields of a cron schedule: minute, hour, day, month, day of the week`,
  );
}

/** The address may hold a signature, so it is not repeated. */
function checkAddress(given: string): void {
  if (URL.canParse(given) && !/\s/.test(given)) return;
  throw new Problem('usage', '--url is no address; it must look like https://files.example.com/shop.tar');
}
