import { JsonFault } from '../json/fault.ts';
import { readJson } from '../json/read.ts';
import { copySpelling, spellingOf } from '../json/spelling.ts';
import { writeJson } from '../json/write.ts';
import { type EnvFile, type FileEntry, fileProblem } from './entry.ts';

/** Reads one object of texts; numbers, true and false count as they are spelled. Throws usage for anything else. */
export async function readJsonVariables(file: EnvFile): Promise<readonly FileEntry[]> {
  return entriesOf(await readObject(file), file);
}

async function readObject(file: EnvFile): Promise<object> {
  const found = await parse(file);
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw fileProblem(file, 0, 'expected one JSON object of keys and values');
  }
  return found;
}

function entriesOf(found: object, file: EnvFile): readonly FileEntry[] {
  return Object.entries(found).map(([key, value]: readonly [string, unknown]) => {
    if (value !== null && ['string', 'number', 'bigint', 'boolean'].includes(typeof value)) {
      return { key, value: spellingOf(found, key) ?? String(value), line: 0 };
    }
    throw fileProblem(file, 0, `the value of ${key} must be text`);
  });
}

async function parse(file: EnvFile): Promise<unknown> {
  try {
    return await readJson(file.text.replace(/^\ufeff/, ''));
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const line = error.reason === 'syntax' ? file.text.slice(0, error.position).split('\n').length : 0;
    throw fileProblem(file, line, error.message);
  }
}

export function writeJsonFile(values: ReadonlyMap<string, string>): string {
  return textOf(Object.fromEntries(values));
}

/** The text with these values; numbers, true and false that mean the same stay as they are spelled. */
export async function updateJson(file: EnvFile, values: ReadonlyMap<string, string>): Promise<string> {
  const found = await readObject(file);
  const known = new Map(entriesOf(found, file).map(({ key, value }) => [key, value]));
  const changed = [...values].filter(([key, value]) => known.get(key) !== value);
  const updated = Object.fromEntries([...Object.entries(found), ...changed]);
  for (const key of known.keys()) copySpelling({ holder: found, key }, { holder: updated, key });
  return textOf(updated);
}

function textOf(variables: object): string {
  return `${writeJson(variables, { indent: true, escapeControls: false })}\n`;
}
