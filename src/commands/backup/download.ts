import { join } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import { eachInTurn } from '../../builders/execute/change-each.ts';
import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import { flag, integer, many, optional, text, type Values } from '../../contract/field.ts';
import type { InputOf } from '../../contract/operation.ts';
import { allowKeywords, stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { sizeText } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { checkTargetFile } from '../../files/publish-part.ts';
import { type BackupFile, type BackupRow, backupIdParam, backups, decodedUrl } from '../../resources/backup.ts';
import { servers } from '../../resources/server.ts';
import { findNewestOfOneDatabase } from './check.ts';

export const urlCommand = customCommand({
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

async function readLink(context: Context, input: InputOf<typeof backups.link>) {
  const link = await context.call(backups.link, input);
  if (link.public_url) return link;
  const { stack_id, backup_id, id } = input;
  const hint = { path: 'backup files', operands: [String(backup_id)], stack_id };
  throw new CliError('unavailable', `the service returned no link for file "${id}" of backup ${backup_id}`, { hint });
}

const SavedFile = record(
  'saved file',
  {
    file: text('ID of the file, or of its parts with commas.'),
    path: text('Path of the file.'),
    bytes: integer('Size.', { unit: 'bytes' }),
  },
  ['path', 'bytes', 'file'],
);

type SavedRow = RecordOf<typeof SavedFile>;
type FileRow = RecordOf<typeof BackupFile>;

const fileField = text('ID or name of a file.', { nameKind: 'backup file' });
const folderField = text('Target folder (default: current).', { nameKind: 'folder' });
const params = {
  stack_id: stackParam,
  backup_id: optional(allowKeywords(backupIdParam, 'latest')),
  files: optional(many(fileField, 'Files to download (default: all).', { label: 'file' })),
  to: optional(folderField),
  output_dir: optional({ ...folderField, about: 'Another spelling of --to.', hiddenInHelp: true as const }),
  join: optional(flag('Join all parts into one file, in the order of `backup files`.')),
  force: optional(flag('Overwrite existing files.')),
  latest: optional(flag('Download the newest good backup of the database.')),
  db_type: backups.list.params.db_type,
  db: optional(text('With `latest`: only this database.', { placeholder: 'name' })),
  resume: optional(flag('Resume an interrupted download.')),
};
type DownloadArguments = Values<typeof params>;
type DownloadInput = DownloadArguments & { readonly backup_id: number; readonly to: string };

export const downloadCommand = customCommand({
  moreEffects: ['writes_file'],
  about: 'Download the files of a backup.',
  params,
  positionals: ['backup_id', 'files'],
  examples: [
    'stackops backup download 901 -s shop',
    'stackops backup download --latest --db shop_prod -s shop',
    'stackops backup download 903 tar-aa -s shop --to backups',
    'stackops backup download 903 --join --force -s shop',
  ],
  calls: [servers.list, backups.list, backups.get, backups.files, backups.link],
  output: { kind: 'change', reply: rows(SavedFile) },
  run: async (context, input) => {
    const { to, output_dir } = input;
    if (to !== undefined && output_dir !== undefined) throw new CliError('usage', 'use --to or --output-dir, not both');
    const backup_id = await findBackupId(context, input);
    return download(context, { ...input, to: to ?? output_dir ?? '.', backup_id });
  },
  present: (saved) => ({ kind: 'done', lines: saved.map(({ path, bytes }) => `wrote ${path} (${sizeText(bytes)})`) }),
});

async function findBackupId(context: Context, input: DownloadArguments): Promise<number> {
  const { stack_id, backup_id, latest, db_type, db } = input;
  if (latest && backup_id !== undefined) throw new CliError('usage', 'use an ID or --latest, not both');
  if (latest || backup_id === 'latest') return (await findNewestOfOneDatabase(context, stack_id, { db_type, db })).id;
  if (db_type !== undefined) throw new CliError('usage', '--db-type needs --latest');
  if (db !== undefined) throw new CliError('usage', '--db needs --latest');
  if (backup_id !== undefined) return backup_id;
  throw new CliError('usage', 'missing argument <backup>: give an ID or --latest', {
    correction: { add: ['--latest'] },
  });
}

async function download(context: Context, input: DownloadInput): Promise<readonly SavedRow[]> {
  const { stack_id, backup_id, to, join: joins = false, force = false, resume = false } = input;
  if (joins && input.files?.length) {
    throw new CliError('usage', '--join joins all files of a backup, so it takes no file names');
  }
  if (joins && resume) {
    throw new CliError('usage', 'use --join or --resume, not both', {
      correction: { replace: { word: '--resume', by: [] } },
    });
  }
  const backup = await context.call(backups.get, { stack_id, id: backup_id });
  const listedFiles = await context.call(backups.files, { stack_id, backup_id });
  if (listedFiles.length === 0) {
    const hint = { path: 'backup get', operands: [String(backup_id)], stack_id };
    throw new CliError('not_found', `backup ${backup_id} has no files`, { hint });
  }
  const { platform, env } = context.host;
  const joinOptions = { joins, joinedName: `backup-${backup_id}`, among: listedFiles, platform };
  const plannedFiles = planFiles(chooseFiles(listedFiles, input), joinOptions);
  const targetFiles = plannedFiles.map((one) => ({ ...one, path: join(to, one.name) }));
  await checkTargets(targetFiles, input);
  if (context.dryRun) {
    for (const { path } of targetFiles) context.note(`would write ${path}`);
    return [];
  }
  if (backup.backup_status === 1) {
    context.warn(`backup ${backup.id} is recorded as failed${backup.backup_result ? `: ${backup.backup_result}` : ''}`);
  }
  if (env['NODE_DEBUG']) context.warn('NODE_DEBUG is set: Node may print signed URLs');
  const leastBytes = targetFiles[0]?.parts.length === listedFiles.length ? leastBytesOf(backup, listedFiles) : 0;
  const options = { force, resume, leastBytes, mostBytes: mostBytesOf(backup) };
  const { save } = await import('./save.ts');
  const pathOf = ({ path }: TargetFile) => path;
  return eachInTurn(targetFiles, pathOf, async (targetFile) => {
    const { path, parts } = targetFile;
    const ids = parts.map(({ id }) => id);
    const links = ids.map((id) => async () => {
      const { public_url } = await readLink(context, { stack_id, backup_id, id });
      return decodedUrl(public_url);
    });
    const command = resumeCommand(input, targetFiles.slice(targetFiles.indexOf(targetFile)));
    const bytes = await save(context, { ...options, target: path, links, resumeCommand: command });
    return { file: ids.join(','), path, bytes };
  });
}

type TargetFile = PlannedFile & { readonly path: string };

async function checkTargets(files: readonly TargetFile[], input: DownloadInput): Promise<void> {
  const { force = false, resume } = input;
  try {
    for (const { path } of files) await checkTargetFile(path, { force });
  } catch (error) {
    if (!resume || !(error instanceof CliError)) throw error;
    // A file under its final name is complete, so the hint downloads only the missing files.
    const results = await Promise.allSettled(files.map(({ path }) => checkTargetFile(path, { force: false })));
    const missingFiles = files.filter((_, at) => results[at]?.status === 'fulfilled');
    if (missingFiles.length === 0) throw error;
    throw error.with({ correction: undefined, hint: resumeCommand(input, missingFiles) });
  }
}

function resumeCommand({ stack_id, backup_id, to, force }: DownloadInput, files: readonly TargetFile[]): CommandLine {
  const ids = files.flatMap(({ parts }) => parts.map(({ id }) => id));
  const folderFlags = to === '.' ? [] : flagWords('--to', to);
  const flags = ['--resume', ...(force ? ['--force'] : []), ...folderFlags];
  return { path: 'backup download', operands: [String(backup_id), ...ids], flags, stack_id };
}

function chooseFiles(listed: readonly FileRow[], input: DownloadInput): readonly FileRow[] {
  const { files = [] } = input;
  const chosenFiles = files.map((name) => listed.find(({ id }) => id === name) ?? findFileByName(listed, name, input));
  return files.length === 0 ? listed : listed.filter((file) => chosenFiles.includes(file));
}

function findFileByName(listed: readonly FileRow[], name: string, { stack_id, backup_id }: DownloadInput): FileRow {
  const [found, another] = listed.filter((file) => file.name === name);
  if (found && !another) return found;
  const hint = { path: 'backup files', operands: [String(backup_id)], stack_id };
  if (another) throw new CliError('ambiguous', `backup ${backup_id} has two files named "${name}"`, { hint });
  const names = listed.flatMap((file) => [file.id, file.name]);
  const nearName = nearest(name, names);
  const details = nearName === undefined ? { hint } : { correction: { replace: { word: name, by: [nearName] } } };
  throw new CliError('not_found', `backup ${backup_id} has no file "${name}"`, details);
}

function leastBytesOf({ backup_size }: BackupRow, files: readonly FileRow[]): number {
  // The recorded size is the size of the content. A compressed archive may be smaller, so it has no minimum.
  const isCompressed = files.some(({ name }) => /\.(gz|tgz|bz2|xz|zst|zip)\b/i.test(name));
  return isCompressed || !Number.isSafeInteger(backup_size) ? 0 : backup_size;
}

function mostBytesOf({ backup_size }: BackupRow): number {
  if (!Number.isSafeInteger(backup_size) || backup_size <= 0) return Number.POSITIVE_INFINITY;
  // An archive is a little larger than its content, so a much larger file must be another file.
  return Math.max(2 * backup_size, backup_size + 64 * 1024 * 1024);
}

type RemoteFile = Readonly<Record<'id' | 'name', string>>;

/** A local file to write, and the remote files that it is made of, in order. */
type PlannedFile = { readonly name: string; readonly parts: readonly RemoteFile[] };

interface PlanOptions {
  readonly joins: boolean;
  /** The name of joined parts without a common name. */
  readonly joinedName: string;
  /** All files of the backup, so that no name depends on the selection. */
  readonly among: readonly RemoteFile[];
  readonly platform: string;
}

/** Returns the local files to write for files of a backup. Throws `usage` for unsafe names. */
export function planFiles(files: readonly RemoteFile[], options: PlanOptions): readonly PlannedFile[] {
  const { joins, joinedName, among, platform } = options;
  if (joins && files.length > 1) return [{ name: commonName(files, platform) ?? joinedName, parts: files }];
  const names = distinctNames(among, platform);
  return files.map((file) => ({ name: names.get(file) ?? safeName(file.name, platform), parts: [file] }));
}

function commonName(files: readonly RemoteFile[], platform: string): string | undefined {
  // `shop.tar-aa` and `shop.tar-ab` have the common name `shop.tar`.
  const bases = new Set(files.map(({ name }) => /^(.+)-[a-z]{2,3}$/.exec(safeName(name, platform))?.[1]));
  const [base] = bases;
  return bases.size === 1 && base !== undefined ? safeName(base, platform) : undefined;
}

function distinctNames(files: readonly RemoteFile[], platform: string): ReadonlyMap<RemoteFile, string> {
  const takenNames = new Set<string>();
  const names = new Map<RemoteFile, string>();
  for (const file of files.filter(({ name }) => nameFault(lastPathPart(name)) === undefined)) {
    const wantedName = safeName(file.name, platform);
    let name = wantedName;
    for (let number = 2; takenNames.has(foldedName(name)); number += 1) name = numberedName(wantedName, number);
    takenNames.add(foldedName(name));
    names.set(file, safeName(name, platform));
  }
  return names;
}

const ignoredEndingPattern = /(?<!\.part|[. ])(?:\.part|[. ])+$/i;

/** Returns a name as the least precise file system compares it, without `.part`, the suffix of unfinished downloads. */
function foldedName(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC').replace(ignoredEndingPattern, '');
}

function numberedName(name: string, number: number): string {
  // The number stands before the extension and before endings that comparisons ignore.
  const comparedPart = name.replace(ignoredEndingPattern, '') || name.slice(0, 1);
  const dot = comparedPart.lastIndexOf('.');
  const base = dot > 0 ? comparedPart.slice(0, dot) : comparedPart;
  return `${base}-${number}${name.slice(base.length)}`;
}

/** Maximum bytes of a file name: of the 255 that file systems allow, `.part` takes 5. */
const maxNameBytes = 250;
/** Matches control characters, lone surrogates, and characters that are invisible or change the text direction. */
const hiddenCharacterPattern = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;
/** Matches the name of a Windows device. It is tested without the extension. */
const deviceNamePattern = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/** Returns a local name for a file name from the service: its last part. Throws `usage` for an unsafe name. */
export function safeName(path: string, platform: string): string {
  const name = lastPathPart(path);
  const fault = nameFault(name);
  if (!fault) return platform.startsWith('win32') ? name.replace(/[<>:"|?*]|[. ]$/g, '_') : name;
  const shownName = JSON.stringify(name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name);
  throw new CliError('usage', `unsafe file name from the service: ${shownName} ${fault}; it was not downloaded`);
}

function lastPathPart(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/^[a-z]:/i, '');
}

function nameFault(name: string): string | undefined {
  if (/^[. ]*$/.test(name)) return 'is not a file name';
  if (hiddenCharacterPattern.test(name)) return 'contains hidden characters';
  if (Buffer.byteLength(name) > maxNameBytes) return `is longer than ${maxNameBytes} bytes`;
  if (deviceNamePattern.test(name.split('.')[0]?.trim() ?? '')) return 'is the name of a device';
  // Programs run or trust many dot files, and no list of these is complete, so all are refused.
  if (name.startsWith('.')) return 'starts with a dot';
  return undefined;
}
