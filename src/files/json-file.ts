import { isObject, type JsonObject } from '../contract/values/json-object.ts';
import { cannotUse } from './file-fault.ts';
import { faultPlace } from './json-fault.ts';
import { readOwnFile, type Secrecy } from './own-file.ts';
import { removeLeftovers, replaceLink } from './text-file.ts';

/** The JSON object of a file of ours, undefined when missing; throws usage with line and column, never content. */
export function readJsonFile(file: string, secrecy: Secrecy): JsonObject | undefined {
  const text = readOwnFile(file, secrecy)?.replace(/^\uFEFF/, '');
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = faultPlace(text);
    throw cannotUse(file, `invalid JSON at line ${line}, column ${column}`);
  }
  if (isObject(value)) return value;
  throw cannotUse(file, 'it is not a JSON object');
}

/** Replaces the object of a file, `{}` at first, under its lock, unless `change` returns the old one. */
export async function updateJsonFile(
  file: string,
  change: (old: JsonObject) => JsonObject,
  secrecy: Secrecy,
): Promise<void> {
  // Imported here because most commands only read.
  const [{ confWriter }, { withLock }] = await Promise.all([import('./conf-writer.ts'), import('./lock/lock.ts')]);
  const write = await confWriter(file);
  const replace = () => {
    removeLeftovers(file);
    const old = readJsonFile(file, secrecy) ?? {};
    const next = change(old);
    if (next === old) return;
    replaceLink(file, secrecy);
    write(next);
  };
  await withLock(file, replace, secrecy);
}
