import { basename, dirname } from 'node:path';
import { customCommand } from '../../builders/custom-command.ts';
import { findAmong, readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { flag, oneOf, optional, text, type Values as ValuesOf } from '../../contract/field.ts';
import { inStack } from '../../contract/params.ts';
import { opaqueReply } from '../../contract/reply.ts';
import type { NamedValues } from '../../env-file/dotenv.ts';
import {
  bytesOfText,
  type EnvFormat,
  formatOf,
  readVariables,
  textOfBytes,
  updateVariables,
  writeVariables,
} from '../../env-file/formats.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { utf8Text } from '../../files/named-file.ts';
import { isReadByOthers, readReplaceable, replaceFile } from '../../files/replace-file.ts';
import { capture } from '../../programs/capture.ts';
import { environments, variable } from '../../resources/env.ts';
import { formatFlag } from './import.ts';
import { keysField, knownValues, ownerOf, owners } from './variable.ts';

const params = {
  stack_id: inStack,
  keys: optional(keysField('Only these environment variables.')),
  format: formatFlag,
  to: optional(text('File to write or update; without it, stdout.', { names: 'file', effects: ['writes_file'] })),
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
  run: async (context, input): Promise<Exported> => {
    const { to, format = formatOf(to ?? ''), keys_only } = input;
    if (to !== undefined && keys_only) throw new CliError('usage', '--keys-only prints names: leave out --to');
    const values = await exportedValues(context, input);
    const keys = [...values.keys()];
    if (keys_only) return { value: keys, text: () => keys.join('\n') };
    if (to === undefined) return { value: Object.fromEntries(values), text: () => writeVariables(values, format) };
    const saved = await saveVariables(context, values, { file: to, format });
    return { value: saved, text: () => savedText(saved) };
  },
  data: ({ value }) => value,
  present: (exported) => {
    const text = exported.text().replace(/\n$/, '');
    return text === '' ? { kind: 'nothing' } : { kind: 'value', text };
  },
});

/** A value for programs, and for people a text, which not every value has. */
interface Exported {
  readonly value: unknown;
  readonly text: () => string;
}

async function exportedValues(context: Context, input: ExportInput): Promise<NamedValues> {
  const { keys, type = 'user' } = input;
  const known = await readAll(context, variable, input);
  const named = keys?.map((key) => findAmong(variable, known, key, input));
  const chosen = known.filter((row) => named?.includes(row) ?? (type === 'all' || ownerOf(row) === type));
  if (known.length === 0) context.note('No environment variables.');
  else if (chosen.length === 0)
    context.note(`No ${type} variables: ${known.length} of other types; --type all exports them.`);
  return knownValues(context, chosen);
}

interface ExportTarget {
  readonly file: string;
  readonly format: EnvFormat;
}

type SavedFile = { readonly file: string } & ReturnType<typeof compare>;

/**
 * Updates a private file; not with --dry-run. Throws usage for a file with other content than variables or one that is
 * not a regular file of this user, and rejected if it changes meanwhile.
 */
async function saveVariables(
  context: Context,
  values: NamedValues,
  { file, format }: ExportTarget,
): Promise<SavedFile> {
  const bytes = readReplaceable(file);
  const isShared = isReadByOthers(file);
  // The bytes of other lines stay unchanged; JSON and YAML are written anew.
  const isAnew = format === 'json' || format === 'yaml';
  const oldText = bytes && (isAnew ? utf8Text(bytes, file) : textOfBytes(bytes));
  const old = { text: oldText ?? '', source: file };
  const known = old.text.trim() === '' ? [] : await readVariables(old, format);
  const text = await updateVariables(old, format, values);
  const saved = { file, ...compare(new Map(known.map(({ key, value }) => [key, value])), values) };
  if (context.dryRun) {
    context.note(`would write ${file}`);
    return saved;
  }
  const isNew = text !== old.text;
  if (isNew) replaceFile(file, bytesOfText(text), { before: bytes });
  if (isShared)
    context.warn(`other users ${isNew ? 'could' : 'can'} read ${file}${isNew ? '; from now on only you can' : ''}`);
  if (await wouldBeCommitted(file, context))
    context.warn(`${file} holds values of environment variables, and git does not ignore it`);
  return saved;
}

function compare(known: NamedValues, values: NamedValues) {
  const keys = [...values.keys()];
  return {
    added: keys.filter((key) => !known.has(key)),
    changed: keys.filter((key) => known.has(key) && known.get(key) !== values.get(key)),
    unchanged: keys.filter((key) => known.get(key) === values.get(key)),
    // Variables that are only in the file stay in it.
    only_in_file: [...known.keys()].filter((key) => !values.has(key)),
  };
}

function savedText({ file, added, changed, unchanged, only_in_file }: SavedFile): string {
  const counts = [
    `${added.length} added`,
    `${changed.length} changed`,
    `${unchanged.length} unchanged`,
    ...(only_in_file.length > 0 ? [`${only_in_file.length} only in the file`] : []),
  ];
  return [...added.map((key) => `+ ${key}`), ...changed.map((key) => `~ ${key}`), `${file}: ${counts.join(', ')}`].join(
    '\n',
  );
}

const gitLimitMs = 5000;

async function wouldBeCommitted(file: string, { deadline, host }: Context): Promise<boolean> {
  const { env, platform } = host.programs;
  const commandLine = ['git', 'check-ignore', '-q', '--', basename(file)];
  const folder = dirname(file);
  const stop = deadline(gitLimitMs);
  const ending = await capture({ commandLine, env, platform, folder, stop }).catch(expectCliError);
  // The code is 0 for a file that is ignored, and 128 outside of a work tree.
  return !(ending instanceof CliError) && ending.code === 1;
}
