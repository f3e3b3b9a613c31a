import { basename, dirname } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json-object.ts';
import { cannotUse, cannotWrite, orCannotWrite } from './file-fault.ts';
import { faultPlace } from './json-fault.ts';
import { readOwnFile, type Secrecy } from './own-file.ts';
import { removeLeftovers, replaceLink } from './replace-file.ts';

/** The JSON object of a private file, undefined if it is missing. Throws usage with line and column, never content. */
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
  // Imported here because most commands only read, and before the lock is taken. The import of conf fails for a user
  // without HOME and without an entry in the user database.
  const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('./lock/lock.ts')]).catch(
    (error: unknown) => {
      throw cannotWrite(file, error);
    },
  );
  const replace = () => {
    removeLeftovers(file);
    const old = readJsonFile(file, secrecy) ?? {};
    const next = change(old);
    if (next === old) return;
    replaceLink(file, secrecy);
    orCannotWrite(file, () => {
      const conf = new Conf<Record<string, unknown>>({
        cwd: dirname(file),
        configName: basename(file, '.json'),
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        serialize: (store) => `${JSON.stringify(store, undefined, 2)}\n`,
      });
      conf.store = { ...next };
    });
  };
  await withLock(file, replace, secrecy);
}
