import type { Context } from '../../../contract/command.ts';
import { oneOf, optional } from '../../../contract/field.ts';
import type { FileEntry } from '../../../env-file/entry.ts';
import { type EnvFormat, envFormats, formatOf, readVariables } from '../../../env-file/formats.ts';
import { largestFile } from '../../../files/named-file.ts';

export const formatFlag = optional(oneOf(envFormats, 'File format (default: by file name).'));

/** What messages call a file; `-` is stdin. */
export function sourceName(file: string): string {
  return file === '-' ? 'stdin' : file;
}

/** The variables of a file. Throws usage where it cannot be read, with the line of a mistake. */
export async function readVariablesFile(
  context: Context,
  file: string,
  format: EnvFormat = formatOf(file),
): Promise<readonly FileEntry[]> {
  return readVariables({ text: await context.readText(file, largestFile), source: sourceName(file) }, format);
}
