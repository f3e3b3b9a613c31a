import { basename, dirname } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import { findAmong, readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { flag, oneOf, optional, text, type Values as ValuesOf } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { opaqueReply } from '../../contract/reply.ts';
import type { FileEntry, NamedValues } from '../../env-file/dotenv.ts';
import {
  bytesOfText,
  type EnvFormat,
  envFileText,
  formatOf,
  readVariables,
  textOfBytes,
  updatedFileText,
} from '../../env-file/formats.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { utf8Text } from '../../files/named-file.ts';
import { isReadByOthers, readReplaceableFile, replaceFile } from '../../files/replace-file.ts';
import { capture } from '../../programs/capture.ts';
import { environments, variable } from '../../resources/env.ts';
import { formatFlag } from './import.ts';
import { keysField, knownValues, ownerOf, owners } from './variable.ts';

const params = {
  stack_id: stackParam,
  keys: optional(keysField('Only these environment variables.')),
  format: formatFlag,
  to: optional(text('File to write or update; without it, stdout.', { nameKind: 'file', effects: ['writes_file'] })),
  type: optional(oneOf([...owners, 'all'], 'Which variables (default user): locked ones are read-only.')),
  keys_only: optional(flag('Print only the names, one a line.')),
};
type ExportInput = ValuesOf<typeof params>;

export const exportCommand = customCommand({
  moreEffects: ['prints_secret'],
  about: 'Write environment variables to stdout or a file.',
  params,
  positionals: ['keys'],
  examples: [
    'stackops stack env export -s shop',
    'stackops stack env export -s shop --to staging.env',
    'stackops stack env export LOG_LEVEL CURRENCY --format json -s shop',
  ],
  calls: [environments.list],
  output: { kind: 'value', reply: opaqueReply },
  run: async (context, input): Promise<ExportResult> => {
    const { to, format = formatOf(to ?? ''), keys_only } = input;
    if (to !== undefined && keys_only) throw new CliError('usage', '--keys-only prints names: leave out --to');
    const values = await exportedValues(context, input);
    const keys = [...values.keys()];
    if (keys_only) return { value: keys, text: () => keys.join('\n') };
    if (to === undefined) return { value: Object.fromEntries(values), text: () => envFileText(values, format) };
    const savedFile = await saveVariables(context, values, to, format);
    return { value: savedFile, text: () => savedFileText(savedFile) };
  },
  data: ({ value }) => value,
  present: (exported) => {
    const text = exported.text().replace(/\n$/, '');
    return text === '' ? { kind: 'nothing' } : { kind: 'value', text };
  },
});

/** The result: `value` for JSON output, else `text`, which throws for a value that the file format cannot hold. */
type ExportResult = { readonly value: unknown; readonly text: () => string };

async function exportedValues(context: Context, input: ExportInput): Promise<NamedValues> {
  const { keys, type = 'user' } = input;
  const rows = await readAll(context, variable, input);
  const namedRows = keys?.map((key) => findAmong(variable, rows, key, input));
  const chosenRows = rows.filter((row) => namedRows?.includes(row) ?? (type === 'all' || ownerOf(row) === type));
  if (rows.length === 0) context.note('No environment variables.');
  else if (chosenRows.length === 0)
    context.note(`No ${type} variables: ${rows.length} of other types; --type all exports them.`);
  return knownValues(context, chosenRows);
}

type SavedFile = { readonly file: string } & ReturnType<typeof compareWithFile>;

/** Throws `usage` for a file of other content, kind or owner, and `rejected` for a file that changes meanwhile. */
async function saveVariables(context: Context, values: NamedValues, file: string, format: EnvFormat) {
  const bytes = readReplaceableFile(file);
  const isFileShared = isReadByOthers(file);
  // JSON and YAML are written anew, so they must be UTF-8. In other formats the bytes of other lines stay.
  const isWholeFileRewritten = format === 'json' || format === 'yaml';
  const oldText = bytes && (isWholeFileRewritten ? utf8Text(bytes, file) : textOfBytes(bytes));
  const oldFile = { text: oldText ?? '', source: file };
  const oldEntries = oldFile.text.trim() === '' ? [] : await readVariables(oldFile, format);
  const text = await updatedFileText(oldFile, format, values);
  const savedFile: SavedFile = { file, ...compareWithFile(oldEntries, values) };
  if (context.dryRun) {
    context.note(`would write ${file}`);
    return savedFile;
  }
  const isFileChanged = text !== oldFile.text;
  if (isFileChanged) replaceFile(file, bytesOfText(text), { before: bytes });
  const accessText = isFileChanged ? `could read ${file}; from now on only you can` : `can read ${file}`;
  if (isFileShared) context.warn(`other users ${accessText}`);
  if (await wouldBeCommitted(file, context))
    context.warn(`${file} holds values of environment variables, and git does not ignore it`);
  return savedFile;
}

function compareWithFile(entries: readonly FileEntry[], values: NamedValues) {
  const fileValues = new Map(entries.map(({ key, value }) => [key, value]));
  const keys = [...values.keys()];
  return {
    added: keys.filter((key) => !fileValues.has(key)),
    changed: keys.filter((key) => fileValues.has(key) && fileValues.get(key) !== values.get(key)),
    unchanged: keys.filter((key) => fileValues.get(key) === values.get(key)),
    // Variables that only the file has stay in the file.
    only_in_file: [...fileValues.keys()].filter((key) => !values.has(key)),
  };
}

function savedFileText({ file, added, changed, unchanged, only_in_file }: SavedFile): string {
  const countTexts = [
    `${added.length} added`,
    `${changed.length} changed`,
    `${unchanged.length} unchanged`,
    ...(only_in_file.length > 0 ? [`${only_in_file.length} only in the file`] : []),
  ];
  const lines = [...added.map((key) => `+ ${key}`), ...changed.map((key) => `~ ${key}`)];
  return [...lines, `${file}: ${countTexts.join(', ')}`].join('\n');
}

const gitLimitMs = 5000;

async function wouldBeCommitted(file: string, { deadline, host }: Context): Promise<boolean> {
  const { env, platform } = host.programs;
  const commandLine = ['git', 'check-ignore', '-q', '--', basename(file)];
  const stop = deadline(gitLimitMs);
  const gitResult = await capture({ commandLine, env, platform, folder: dirname(file), stop }).catch(expectCliError);
  // Git exits with 1 for a file that it does not ignore, 0 for an ignored one and 128 outside of a work tree.
  return !(gitResult instanceof CliError) && gitResult.code === 1;
}
