import { script } from '../../kinds/script.ts';
import { backups, theBackup } from '../../resources/backup.ts';
import { inStack, orWord } from '../../resources/shared.ts';
import { findNewestGood } from './newest.ts';

/** `backup get`. The newest good backup is read by its ID too: a list may show less of it. */
export const backupGet = script({
  about: backups.get.about,
  params: { stack_id: inStack, id: orWord(theBackup, 'latest') },
  positionals: ['id'],
  examples: ['stackops backup get latest -s shop'],
  calls: [backups.list, backups.get],
  reply: backups.get.reply,
  isRead: true,
  run: async (context, { stack_id, id }) => {
    const known = id === 'latest' ? (await findNewestGood(context, { stack_id })).id : id;
    return context.call(backups.get, { stack_id, id: known });
  },
});
