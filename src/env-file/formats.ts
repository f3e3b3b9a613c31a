import { type Assignment, replaceValues, type WriteLine } from './assignments.ts';
import { readDotenv, refuseUnsafe, writeDotenv } from './dotenv.ts';
import type { EnvFile, FileEntry } from './entry.ts';
import { readJsonVariables, updateJson, writeJsonFile } from './json.ts';
import { readShell, writeShell } from './shell.ts';
import { readYamlFile, updateYaml, writeYaml } from './yaml.ts';

export const envFormats = ['dotenv', 'shell', 'json', 'yaml'] as const;
export type EnvFormat = (typeof envFormats)[number];

/** The format that the name of a file says; dotenv where it says none. */
export function formatOf(file: string): EnvFormat {
  if (/\.json$/i.test(file)) return 'json';
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  return /\.sh$/i.test(file) ? 'shell' : 'dotenv';
}

/** The variables of a text, in its order. Throws usage with the line of a mistake. */
export async function readVariables(file: EnvFile, format: EnvFormat): Promise<readonly FileEntry[]> {
  if (format === 'json') return readJsonVariables(file);
  if (format === 'yaml') return readYamlFile(file);
  return lineFormats[format].read(file);
}

/** Variables as a text. Throws usage where a key cannot be written. */
export function writeVariables(values: ReadonlyMap<string, string>, format: EnvFormat): string {
  if (format === 'json') return writeJsonFile(values);
  if (format === 'yaml') return writeYaml(values);
  if (format === 'dotenv') refuseUnsafe(values);
  const { line } = lineFormats[format].write;
  return [...values].map(([key, value]) => `${line(key, value)}\n`).join('');
}

/**
 * A text with these variables in it. Those it holds are changed in place, and what it holds besides stays: comments, and
 * keys that are not among the values. Throws usage where it cannot be read, or a key cannot be written.
 */
export async function updateVariables(
  file: EnvFile,
  format: EnvFormat,
  values: ReadonlyMap<string, string>,
): Promise<string> {
  if (file.text.trim() === '') return writeVariables(values, format);
  if (format === 'yaml') return updateYaml(file, values);
  if (format === 'json') return updateJson(file, values);
  if (format === 'dotenv') refuseUnsafe(values);
  const { read, write } = lineFormats[format];
  return replaceValues(file.text, read(file), { values, write });
}

interface LineFormat {
  readonly read: (file: EnvFile) => readonly Assignment[];
  readonly write: WriteLine;
}

const lineFormats: Readonly<Record<'dotenv' | 'shell', LineFormat>> = {
  dotenv: { read: readDotenv, write: writeDotenv },
  shell: { read: readShell, write: writeShell },
};
