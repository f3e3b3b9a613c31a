import { isObject, type JsonObject } from '../contract/values/json.ts';
import { copySpelling, JsonFault, parseStrictJson, spellingOf } from '../json/read.ts';
import { writeJson } from '../json/write.ts';
import {
  dotenvFormat,
  type EnvFile,
  envFileError,
  type FileEntry,
  type NamedValues,
  readAssignments,
  refuseUnsafeValues,
  replaceValues,
  shellFormat,
} from './dotenv.ts';
import { readYamlEntries, updatedYamlText, yamlEnvText } from './yaml.ts';

export const envFormats = ['dotenv', 'shell', 'json', 'yaml'] as const;
export type EnvFormat = (typeof envFormats)[number];

export function formatOf(file: string): EnvFormat {
  if (/\.json$/i.test(file)) return 'json';
  if (/\.ya?ml$/i.test(file)) return 'yaml';
  return /\.sh$/i.test(file) ? 'shell' : 'dotenv';
}

/** Reads the variables of a file, in their order. Throws `usage` with the line number of a mistake. */
export async function readVariables(file: EnvFile, format: EnvFormat): Promise<readonly FileEntry[]> {
  if (format === 'json') return entriesOf(await readObject(file), file);
  if (format === 'yaml') return readYamlEntries(file);
  return readAssignments(file, lineFormats[format].readValue);
}

/** Returns variables as text. Throws `usage` for a key or a value that the format cannot hold. */
export function envFileText(values: NamedValues, format: EnvFormat): string {
  if (format === 'json') return jsonFileText(Object.fromEntries(values));
  if (format === 'yaml') return yamlEnvText(values);
  if (format === 'dotenv') refuseUnsafeValues(values);
  return [...values].map(([key, value]) => `${lineFormats[format].lineText(key, value)}\n`).join('');
}

/** Returns the text of a file with these values. Throws `usage` like `readVariables` and `envFileText`. */
export async function updatedFileText(file: EnvFile, format: EnvFormat, values: NamedValues): Promise<string> {
  if (file.text.trim() === '') return envFileText(values, format);
  if (format === 'yaml') return updatedYamlText(file, values);
  if (format === 'json') return updatedJsonText(file, values);
  if (format === 'dotenv') refuseUnsafeValues(values);
  return replaceValues(file, values, lineFormats[format]);
}

const lineFormats = { dotenv: dotenvFormat, shell: shellFormat };

async function readObject(file: EnvFile): Promise<JsonObject> {
  const value = await parseStrictJson(file.text.replace(/^\ufeff/, '')).catch((error: unknown) => {
    if (!(error instanceof JsonFault)) throw error;
    const line = error.reason === 'syntax' ? file.text.slice(0, error.position).split('\n').length : 0;
    throw envFileError(file, line, error.message);
  });
  if (isObject(value)) return value;
  throw envFileError(file, 0, 'expected one JSON object of keys and values');
}

function entriesOf(object: JsonObject, file: EnvFile): readonly FileEntry[] {
  return Object.entries(object).map(([key, value]) => {
    if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) {
      // A number, true or false becomes the text that spells it in the file.
      return { key, value: spellingOf(object, key) ?? String(value), line: 0 };
    }
    throw envFileError(file, 0, `the value of ${key} must be text`);
  });
}

async function updatedJsonText(file: EnvFile, values: NamedValues): Promise<string> {
  const object = await readObject(file);
  const oldValues = new Map(entriesOf(object, file).map(({ key, value }) => [key, value]));
  const changedValues = [...values].filter(([key, value]) => oldValues.get(key) !== value);
  const updated = Object.fromEntries([...Object.entries(object), ...changedValues]);
  for (const key of oldValues.keys()) copySpelling(object, key, updated);
  return jsonFileText(updated);
}

function jsonFileText(variables: object): string {
  return `${writeJson(variables, { indent: true, escapeControls: false })}\n`;
}

/** Converts bytes to text without loss: bytes that are not UTF-8 become the surrogates U+DC80 to U+DCFF. */
export function textOfBytes(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes).toString('latin1');
  return latin1.replace(/[\x80-\xff]+/g, (highBytes) => {
    const text = Buffer.from(highBytes, 'latin1').toString('utf8');
    if (!text.includes('\ufffd')) return text;
    return highBytes.replace(/./gs, (character) => String.fromCharCode(0xdc00 + character.charCodeAt(0)));
  });
}

export function bytesOfText(text: string): Uint8Array {
  const parts = text.split(/([\udc80-\udcff]+)/u);
  const toBytes = (surrogates: string) => Uint8Array.from(surrogates, (surrogate) => surrogate.charCodeAt(0) - 0xdc00);
  return Buffer.concat(parts.map((part, index) => (index % 2 === 0 ? Buffer.from(part, 'utf8') : toBytes(part))));
}
