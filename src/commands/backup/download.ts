import { join } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import { eachInTurn } from '../../builders/execute/change-each.ts';
import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { flag, integer, many, optional, text, type Values } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { sizeText } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { checkTarget } from '../../files/publish-part.ts';
import { type BackupFile, type BackupRow, backups, theBackup } from '../../resources/backup.ts';
import { inStack, orWord } from '../../resources/shared.ts';
import { findOnlyNewest } from './check.ts';
import { readUrl } from './get.ts';
import { type Planned, planFiles } from './plan.ts';

const SavedFile = record(
  'saved file',
  {
    file: text('ID of the file, or of its parts with commas.'),
    path: text('Path of the file.'),
    bytes: integer('Size.', { unit: 'bytes' }),
  },
  ['path', 'bytes', 'file'],
);

type Saved = RecordOf<typeof SavedFile>;
type File = RecordOf<typeof BackupFile>;

const aFile = text('ID or name of a file.', { names: 'backup file' });
const params = {
  stack_id: inStack,
  backup_id: optional(orWord(theBackup, 'latest')),
  files: optional(many(aFile, 'Files to download (default: all).', { label: 'file' })),
  output_dir: optional(text('Target folder (default: current).', { names: 'folder' })),
  join: optional(flag('Join all parts into one file, in the order of `backup files`.')),
  force: optional(flag('Overwrite existing files.')),
  latest: optional(flag('Download the newest good backup of the database.')),
  db_type: backups.list.params.db_type,
  db: optional(text('With `latest`: only this database.', { placeholder: 'name' })),
  resume: optional(flag('Resume an interrupted download.')),
};
type Typed = Values<typeof params>;
type DownloadInput = Typed & { readonly backup_id: number };

export const downloadCommand = customCommand({
  moreEffects: ['writes_file'],
  about: 'Download the files of a backup.',
  params,
  positionals: ['backup_id', 'files'],
  examples: [
    'stackops backup download 901 -s shop',
    'stackops backup download --latest --db shop_prod -s shop',
    'stackops backup download 903 tar-aa -s shop --output-dir backups',
    'stackops backup download 903 --join --force -s shop',
  ],
  calls: [backups.list, backups.get, backups.files, backups.link],
  output: { kind: 'change', reply: rows(SavedFile) },
  run: async (context, input) => download(context, { ...input, backup_id: await findBackup(context, input) }),
  present: (saved) => ({
    kind: 'done',
    lines: saved.map(({ path, bytes }) => `wrote ${path} (${sizeText(bytes)})`),
  }),
});

async function findBackup(context: Context, { stack_id, backup_id, latest, db_type, db }: Typed): Promise<number> {
  if (latest && backup_id !== undefined) throw new CliError('usage', 'use an ID or --latest, not both');
  if (latest || backup_id === 'latest') return (await findOnlyNewest(context, stack_id, { db_type, db })).id;
  if (db_type !== undefined) throw new CliError('usage', '--db-type needs --latest');
  if (db !== undefined) throw new CliError('usage', '--db needs --latest');
  if (backup_id !== undefined) return backup_id;
  throw new CliError('usage', 'missing argument <backup>: give an ID or --latest', {
    correction: { add: ['--latest'] },
  });
}

async function download(context: Context, input: DownloadInput): Promise<readonly Saved[]> {
  const { stack_id, backup_id, output_dir = '.', join: joins = false, force = false, resume = false } = input;
  if (joins && input.files?.length) {
    throw new CliError('usage', '--join joins all files of a backup, so it takes no file names');
  }
  if (joins && resume) {
    throw new CliError('usage', 'use --join or --resume, not both', {
      correction: { replace: { word: '--resume', by: [] } },
    });
  }
  const backup = await context.call(backups.get, { stack_id, id: backup_id });
  const listed = await context.call(backups.files, { stack_id, backup_id });
  if (listed.length === 0) {
    const hint = { path: 'backup get', operands: [String(backup_id)], stack_id };
    throw new CliError('not_found', `backup ${backup_id} has no files`, { hint });
  }
  const { platform, env, fetchFile: fetch, createMeter, signal } = context.host;
  const joining = { joins, joinedName: `backup-${backup_id}`, among: listed, platform };
  const plan = planFiles(chosen(listed, input), joining);
  const targets = plan.map((planned) => ({ ...planned, path: join(output_dir, planned.name) }));
  await checkTargets(targets, input);
  if (context.dryRun) {
    for (const { path } of targets) context.note(`would write ${path}`);
    return [];
  }
  if (backup.backup_status === 1) {
    context.warn(`backup ${backup.id} is recorded as failed${backup.backup_result ? `: ${backup.backup_result}` : ''}`);
  }
  if (env['NODE_DEBUG']) context.warn('NODE_DEBUG is set: Node may print signed URLs');
  const leastBytes = plan[0]?.parts.length === listed.length ? leastBytesOf(backup, listed) : 0;
  const limits = { force, resume, leastBytes, mostBytes: mostBytesOf(backup) };
  const { save } = await import('./save.ts');
  return eachInTurn(
    targets,
    ({ path }) => path,
    async (planned) => {
      const { path, parts } = planned;
      const ids = parts.map(({ id }) => id);
      const links = ids.map((id) => () => readUrl(context, { stack_id, backup_id, id }));
      const deps = { fetch, meter: await createMeter(), signal, note: context.note };
      const toResume = resumeCommand(input, targets.slice(targets.indexOf(planned)));
      const bytes = await save({ ...limits, target: path, links, toResume }, deps);
      return { file: ids.join(','), path, bytes };
    },
  );
}

type Named = Planned & { readonly path: string };

async function checkTargets(targets: readonly Named[], input: DownloadInput): Promise<void> {
  const { force = false, resume } = input;
  for (const { path } of targets) {
    await checkTarget(path, { force }).catch(async (error: unknown) => {
      throw resume && error instanceof CliError ? await suggestMissing(error, targets, input) : error;
    });
  }
}

async function suggestMissing(refusal: CliError, targets: readonly Named[], input: DownloadInput): Promise<CliError> {
  // A file under its final name is complete.
  const missing: Named[] = [];
  for (const target of targets) {
    await checkTarget(target.path, { force: false }).then(
      () => missing.push(target),
      () => undefined,
    );
  }
  if (missing.length === 0) return refusal;
  return refusal.with({ correction: undefined, hint: resumeCommand(input, missing) });
}

function resumeCommand(
  { stack_id, backup_id, output_dir, force }: DownloadInput,
  files: readonly Named[],
): CommandLine {
  const ids = files.flatMap(({ parts }) => parts.map(({ id }) => id));
  const folder = output_dir === undefined ? [] : flagWords('--output-dir', output_dir);
  const flags = ['--resume', ...(force ? ['--force'] : []), ...folder];
  return { path: 'backup download', operands: [String(backup_id), ...ids], flags, stack_id };
}

function chosen(listed: readonly File[], input: DownloadInput): readonly File[] {
  const { files = [] } = input;
  const found = files.map((name) => listed.find(({ id }) => id === name) ?? findName(listed, name, input));
  return files.length === 0 ? listed : listed.filter((file) => found.includes(file));
}

function findName(listed: readonly File[], name: string, { stack_id, backup_id }: DownloadInput): File {
  const [found, another] = listed.filter((file) => file.name === name);
  if (found && !another) return found;
  const hint = { path: 'backup files', operands: [String(backup_id)], stack_id };
  if (another) throw new CliError('ambiguous', `backup ${backup_id} has two files named "${name}"`, { hint });
  const names = listed.flatMap((file) => [file.id, file.name]);
  const by = nearest(name, names);
  const help = by === undefined ? { hint } : { correction: { replace: { word: name, by: [by] } } };
  throw new CliError('not_found', `backup ${backup_id} has no file "${name}"`, help);
}

function leastBytesOf({ backup_size }: BackupRow, files: readonly File[]): number {
  // The recorded size is that of the content: only a compressed archive is smaller.
  const isCompressed = files.some(({ name }) => /\.(gz|tgz|bz2|xz|zst|zip)\b/i.test(name));
  return isCompressed || !Number.isSafeInteger(backup_size) ? 0 : backup_size;
}

function mostBytesOf({ backup_size }: BackupRow): number {
  if (!Number.isSafeInteger(backup_size) || backup_size <= 0) return Number.POSITIVE_INFINITY;
  // An archive is a little larger than its content; a much larger file is another file.
  return Math.max(2 * backup_size, backup_size + 64 * 1024 * 1024);
}
