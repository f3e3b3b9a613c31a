import { basename, dirname } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { cannotUseError, cannotWriteError, tryToWrite } from './file-fault.ts';
import { type PrivacyOptions, readOwnFile } from './own-file.ts';
import { removeLeftovers, replaceLink } from './replace-file.ts';

/** The JSON object of a private file, undefined if it is missing. Throws usage with line and column, never content. */
export function readJsonFile(file: string, privacy: PrivacyOptions): JsonObject | undefined {
  const text = readOwnFile(file, privacy)?.replace(/^\uFEFF/, '');
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, column } = faultPosition(text);
    throw cannotUseError(file, `invalid JSON at line ${line}, column ${column}`);
  }
  if (isObject(value)) return value;
  throw cannotUseError(file, 'it is not a JSON object');
}

/** Replaces the object of a file, `{}` at first, under its lock, unless `change` returns the old one. */
export async function updateJsonFile(
  file: string,
  change: (old: JsonObject) => JsonObject,
  privacy: PrivacyOptions,
): Promise<void> {
  // Imported here because most commands only read, and before the lock is taken. The import of conf fails for a user
  // without HOME and without an entry in the user database.
  const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('./lock.ts')]).catch(
    (error: unknown) => {
      throw cannotWriteError(file, error);
    },
  );
  const replace = () => {
    removeLeftovers(file);
    const old = readJsonFile(file, privacy) ?? {};
    const next = change(old);
    if (next === old) return;
    replaceLink(file, privacy);
    tryToWrite(file, () => {
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
  await withLock(file, replace, privacy);
}

/** Line and column of the first syntax error, from 1. The engine's own message quotes the content, even secrets. */
export function faultPosition(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, faultOffset(text)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

const blanks = /[\t\n\r ]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar of JSON forbids them in texts
const string = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const word = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

function faultOffset(json: string): number {
  let offset = 0;
  const lengthOf = (token: RegExp): number | undefined => {
    token.lastIndex = offset;
    return token.exec(json)?.[0].length;
  };
  /** Passes over a token and the blanks in front of it. */
  const passes = (token: RegExp): boolean => {
    offset += lengthOf(blanks) ?? 0;
    const length = lengthOf(token);
    offset += length ?? 0;
    return length !== undefined;
  };
  const passesItems = (end: RegExp, item: () => boolean): boolean => {
    if (passes(end)) return true;
    do {
      if (!item()) return false;
    } while (passes(/,/y));
    return passes(end);
  };
  const passesValue = (): boolean => {
    if (passes(/\{/y)) return passesItems(/\}/y, () => passes(string) && passes(/:/y) && passesValue());
    return passes(/\[/y) ? passesItems(/\]/y, passesValue) : passes(string) || passes(word);
  };
  if (passesValue()) passes(/$/y);
  return offset;
}
