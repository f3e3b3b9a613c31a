import { changeLine, changeRecord, type Verb, verbs } from '../../builders/execute/summary.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { group, many, text } from '../../contract/field.ts';
import type { Observer, WatchStatus } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { Change, ObservedChange, Plan, Step } from '../../contract/plan.ts';
import type { Acknowledgement } from '../../contract/reply.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { isAction } from '../../resources/action.ts';
import { Backup, type BackupRow, backups } from '../../resources/backup.ts';
import { readStackTitle } from '../../resources/stack.ts';

const backupChangeRecord = changeRecord(
  { stack_id: text('UID of the stack.') },
  { after: many(group(Backup.fields, 'A backup.'), 'The new backups.') },
);

export const backupCreateCommand = write({
  about: backups.create.about,
  params: backups.create.params,
  examples: [
    'stackops backup create -s shop --db-type postgresql --gzip',
    "stackops backup create -s shop --frequency '0 3 * * *' --keep-count 7",
  ],
  calls: [backups.create],
  record: backupChangeRecord,
  plan: async (context, input) => {
    if (input.frequency !== undefined) checkSchedule(input.frequency);
    return planBackup(input, verbs.create, () => context.call(backups.create, input, { observer: backupObserver }));
  },
});

export const backupImportCommand = write({
  about: backups.import.about,
  params: backups.import.params,
  examples: ['stackops backup import -s shop --group 12 --db-type postgresql --url https://files.example/db.tar'],
  calls: [backups.list, backups.import],
  record: backupChangeRecord,
  confirm: { level: 'yes', act: 'Import a backup into' },
  plan: async (context, input) => {
    // The URL may hold a signature, so the message does not repeat it.
    if (!URL.canParse(input.remote_url) || /\s/.test(input.remote_url)) {
      throw new CliError('usage', '--url must be a URL such as https://files.example.com/shop.tar');
    }
    const send = () => context.call(backups.import, input, { observer: backupObserver });
    return {
      ...planBackup(input, { act: 'Import', change: 'imported', doing: 'importing' }, send),
      ask: { name: () => readStackTitle(context, input.stack_id), details: () => listImportFacts(context, input) },
    };
  },
});

type BackupInput = Pick<InputOf<typeof backups.create>, 'stack_id' | 'db_type' | 'frequency'> & { group?: number };

function planBackup({ stack_id, db_type = [], group: backupGroup }: BackupInput, verb: Verb, send: Step['send']): Plan {
  const typesText = db_type.length > 0 ? ` of ${db_type.join(', ')}` : '';
  const name = `backup${typesText}${backupGroup === undefined ? '' : ` into group ${backupGroup}`}`;
  const step: Step = {
    id: { stack_id },
    name,
    // The response only says that the request was accepted, so the change is queued.
    change: 'queued',
    send,
    done: (reply) => ({ ...observedIn(reply), ...((isAction(reply) || reply.backups) && { change: verb.change }) }),
    unfinished: observedIn,
  };
  const linesOf = (change: Change) =>
    (change.after as readonly BackupRow[] | null)?.map(backupLine) ?? changeLine(name, change, verb);
  return { steps: [step], summarize: (changes) => ({ lines: changes.flatMap(linesOf) }) };
}

function observedIn(reply: unknown): ObservedChange {
  if (isAction(reply)) return {};
  // With --wait `backupObserver` adds the new backups to the reply.
  const { message, backups: rows } = reply as Acknowledgement & { readonly backups?: readonly BackupRow[] };
  return { after: rows ?? null, message: message || null };
}

function backupLine({ id, db_type, database_name, backup_status, backup_result }: BackupRow): string {
  const state = Backup.fields.backup_status.meanings?.[backup_status];
  const details = [state ?? `status ${backup_status}`, backup_result].filter(Boolean);
  return `backup ${id} of ${[db_type, database_name].filter(Boolean).join(' ')}: ${details.join(', ')}`;
}

async function listImportFacts(context: Context, input: InputOf<typeof backups.import>): Promise<readonly string[]> {
  const { stack_id, group: backupGroup, db_type, remote_url } = input;
  const { host } = new URL(remote_url);
  const rows = await readOrUndefined(context.call(backups.list, { id: stack_id, group: backupGroup }));
  const dates = rows?.map(({ backup_date_iso }) => backup_date_iso).filter(Boolean);
  const newestDate = dates?.toSorted().at(-1);
  return [
    `${db_type.join(', ')}, backup group ${backupGroup}`,
    ...(host ? [`from ${host}`] : []),
    ...(rows ? [newestDate ? `newest backup in it ${newestDate}` : 'no backup in it'] : []),
  ];
}

function checkSchedule(schedule: string): void {
  // Only the format is checked here; the service checks the values.
  if (/^@(hourly|daily|weekly|monthly|yearly)$/.test(schedule)) return;
  if (/^[\d*/,-]+ [\d*/,-]+ [\d*/,?LW-]+ [\w*/,-]+ [\w*/,?#-]+$/.test(schedule)) return;
  const format = 'five cron fields (minute, hour, day, month, weekday)';
  throw new CliError('usage', `--frequency must be ${format}, not "${schedule}"`);
}

/** Status codes are not documented. As in the vendor's client, 0 is success and 1 failure; any other is unseen. */
export const backupObserver: Observer<BackupInput, readonly number[], Acknowledgement> = {
  snapshot: async (read, { stack_id }) => (await read(backups.list, { id: stack_id })).map(({ id }) => id),
  watch: (read, { stack_id, frequency, db_type = [] }, { snapshot, answer }) => ({
    name: 'the backup',
    resume: { path: 'backup list', stack_id },
    check: async (): Promise<WatchStatus> => {
      if (frequency !== undefined || !snapshot) {
        return { state: 'unseen', text: 'the service does not show which backup it made', value: answer };
      }
      const types = db_type.includes('all') ? [] : db_type;
      const isRequestedType = (row: BackupRow) => types.length === 0 || types.some((kind) => kind === row.db_type);
      const rows = await read(backups.list, { id: stack_id });
      const newRows = rows.filter((row) => !snapshot.includes(row.id) && isRequestedType(row));
      const isOneMissing = types.some((kind) => !newRows.some((row) => row.db_type === kind));
      if (newRows.length === 0 || isOneMissing) return { state: 'running', text: 'queued', value: answer };
      const text = newRows.map(backupLine).join(', ');
      const value = { ...answer, backups: newRows };
      if (newRows.some(({ backup_status }) => backup_status === 1)) return { state: 'failed', text, value };
      return { state: newRows.every(({ backup_status }) => backup_status === 0) ? 'good' : 'unseen', text, value };
    },
  }),
};
