import type { Context, Menu, Presentation, Target } from '../../contract/command.ts';
import { flag, group, many, optional, text } from '../../contract/field.ts';
import type { InputOf } from '../../contract/operation.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one, type Reply } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { actionOf, actionWords } from '../../resources/action.ts';
import { Backup, backupMenu, backups } from '../../resources/backup.ts';
import { describeStack } from '../../resources/stack.ts';
import { downloadCommand, type StorageServices } from './download.ts';
import { urlCommand } from './link.ts';

/** With --wait also the backups that appeared. */
const takenReply: Reply = one(
  record(
    'answer',
    {
      ok: flag('Whether it was accepted.'),
      message: optional(text('What the service said.')),
      backups: optional(many(group(Backup.fields, 'A backup.'), 'What appeared, when that was waited for.')),
    },
    ['ok', 'message'],
  ),
);
interface Taken {
  readonly ok: boolean;
  readonly message?: string;
  readonly backups?: readonly RecordOf<typeof Backup>[];
}

const create = script({
  about: backups.create.about,
  params: backups.create.params,
  examples: [
    'stackops backup create -s shop --db-type postgresql --gzip',
    "stackops backup create -s shop --frequency '0 3 * * *' --keep-count 7",
  ],
  calls: [backups.create],
  reply: takenReply,
  run: async (context, input): Promise<Taken> => {
    if (input.frequency !== undefined) checkSchedule(input.frequency);
    return context.call(backups.create, input);
  },
  present: (taken) => presentTaken(taken, 'The backup'),
});

const importBackup = script({
  about: backups.import.about,
  params: backups.import.params,
  examples: ['stackops backup import -s shop --group 12 --db-type postgresql --url https://files.example/db.tar'],
  calls: [backups.list, backups.import],
  reply: takenReply,
  confirm: { level: 'yes', act: 'Import a backup into', target: describeImport },
  run: async (context, input): Promise<Taken> => {
    checkAddress(input.remote_url);
    return context.call(backups.import, input);
  },
  present: (taken) => presentTaken(taken, 'The import'),
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

/** Where it comes from, and the state of what it is restored in. */
async function describeImport(context: Context, input: InputOf<typeof backups.import>): Promise<Target> {
  const { stack_id, group, db_type, remote_url } = input;
  checkAddress(remote_url);
  const { host } = new URL(remote_url);
  const known = await unlessUnreadable(context.call(backups.list, { id: stack_id, group }));
  const taken = known
    ?.map(({ backup_date_iso }) => backup_date_iso)
    .filter(Boolean)
    .toSorted();
  return {
    name: await describeStack(context, stack_id),
    facts: [
      `${db_type.join(', ')}, backup group ${group}`,
      ...(host ? [`from ${host}`] : []),
      ...(taken ? [taken.length > 0 ? `newest backup there ${taken.at(-1)}` : 'no backup there'] : []),
    ],
  };
}

function presentTaken(taken: Taken, what: string): Presentation {
  const { message, backups: made = [] } = taken;
  const action = actionOf(taken);
  if (action) return { kind: 'done', lines: [`${what}: ${actionWords(action)}`] };
  return { kind: 'done', lines: made.length > 0 ? made.map(backupLine) : [message || `${what} is queued.`] };
}

/** `Backup 907 of postgresql shop_prod: ok (Dump is done)`; codes are told too, since the service does not explain them. */
function backupLine({ id, db_type, database_name, backup_status, backup_result }: RecordOf<typeof Backup>): string {
  const word = Backup.fields.backup_status.meanings?.[backup_status];
  const state = word ? `${word} (${backup_status})` : `status ${backup_status}`;
  return `Backup ${id} of ${[db_type, database_name].filter(Boolean).join(' ')}: ${[state, backup_result].filter(Boolean).join(', ')}`;
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
