import { customCommand } from '../../builders/custom-command.ts';
import type { Context } from '../../contract/command.ts';
import type { InputOf } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type BackupLink, backups, decodedUrl } from '../../resources/backup.ts';

export const urlCommand = customCommand({
  moreEffects: [],
  about: backups.link.about,
  params: backups.link.params,
  positionals: ['backup_id', 'id'],
  examples: ['stackops backup url 901 tar -s shop'],
  calls: [backups.link],
  output: { kind: 'value', reply: backups.link.reply },
  revealed: ['public_url'],
  run: readLink,
  present: ({ public_url }) => ({ kind: 'value', text: decodedUrl(public_url) }),
});

export async function readBackupUrl(context: Context, input: LinkInput): Promise<string> {
  return decodedUrl((await readLink(context, input)).public_url);
}

type LinkInput = InputOf<typeof backups.link>;

async function readLink(context: Context, input: LinkInput): Promise<RecordOf<typeof BackupLink>> {
  const link = await context.call(backups.link, input);
  if (link.public_url) return link;
  const { stack_id, backup_id, id } = input;
  const hint = { path: 'backup files', operands: [String(backup_id)], stack_id };
  throw new CliError('unavailable', `the service returned no link for file "${id}" of backup ${backup_id}`, { hint });
}
