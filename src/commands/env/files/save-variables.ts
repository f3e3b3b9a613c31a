import { basename, dirname } from 'node:path';
import type { Context } from '../../../contract/command.ts';
import { bytesOfText, textOfBytes } from '../../../env-file/byte-text.ts';
import { type EnvFormat, readVariables, updateVariables } from '../../../env-file/formats.ts';
import { readReplaceable, replaceNamedFile, utf8Text } from '../../../files/named-file.ts';

/** Names of variables by what happened to them in a file. */
export interface SavedFile {
  readonly file: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  /** Not among the values; they stay. */
  readonly only_in_file: readonly string[];
}

/**
 * Updates a file, which from then on only we can read; not with --dry-run. Throws usage where it holds something else than
 * variables, or is not a regular file of ours, and rejected where it changes meanwhile.
 */
export async function saveVariables(
  context: Context,
  values: ReadonlyMap<string, string>,
  { file, format }: { readonly file: string; readonly format: EnvFormat },
): Promise<SavedFile> {
  const bytes = readReplaceable(file);
  const old = { text: oldText(bytes, file, format), source: file };
  const known = old.text.trim() === '' ? [] : await readVariables(old, format);
  const text = await updateVariables(old, format, values);
  const saved = { file, ...compare(new Map(known.map(({ key, value }) => [key, value])), values) };
  if (context.dryRun) {
    context.note(`would write ${file}`);
    return saved;
  }
  if (text !== old.text) replaceNamedFile(file, bytes, bytesOfText(text));
  if (await wouldBeCommitted(file))
    context.warn(`${file} holds values of environment variables, and git does not ignore it`);
  return saved;
}

/** The bytes of lines that are not ours stay what they are; in JSON and YAML everything is written anew. */
function oldText(bytes: Uint8Array | undefined, file: string, format: EnvFormat): string {
  if (!bytes) return '';
  return format === 'json' || format === 'yaml' ? utf8Text(bytes, file) : textOfBytes(bytes);
}

function compare(known: ReadonlyMap<string, string>, values: ReadonlyMap<string, string>): Omit<SavedFile, 'file'> {
  const keys = [...values.keys()];
  const inFile = keys.filter((key) => known.has(key));
  return {
    added: keys.filter((key) => !known.has(key)),
    changed: inFile.filter((key) => known.get(key) !== values.get(key)),
    unchanged: inFile.filter((key) => known.get(key) === values.get(key)),
    only_in_file: [...known.keys()].filter((key) => !values.has(key)),
  };
}

/** `+ NEW_FLAG`, `~ LOG_LEVEL`, `staging.env: 1 added, 1 changed, 30 unchanged` */
export function savedText({ file, added, changed, unchanged, only_in_file }: SavedFile): string {
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

/** Whether the file lies in a git work tree that would take it in. False where there is no git. */
async function wouldBeCommitted(file: string): Promise<boolean> {
  const { spawnSync } = await import('node:child_process');
  const { status } = spawnSync('git', ['check-ignore', '-q', '--', basename(file)], {
    cwd: dirname(file),
    stdio: 'ignore',
  });
  return status === 1;
}
