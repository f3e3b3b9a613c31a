import { basename, dirname } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { cannotUseError, cannotWriteError, tryToWrite } from './file-fault.ts';
import { type PrivacyOptions, readOwnFile } from './own-file.ts';
import { removeLeftoverFiles, replaceLink } from './replace-file.ts';

/** Returns the JSON object in a private file; undefined if the file is missing. Throws `usage` for other content. */
export function readJsonFile(file: string, privacy: PrivacyOptions): JsonObject | undefined {
  const text = readOwnFile(file, privacy)?.replace(/^\uFEFF/, '');
  if (text === undefined) return undefined;
  const value = parseJson(text, (fault) => cannotUseError(file, fault));
  if (isObject(value)) return value;
  throw cannotUseError(file, 'it is not a JSON object');
}

/** Changes the object under the lock. A missing file is `{}`. If `change` returns its input, nothing is written. */
export async function updateJsonFile(
  file: string,
  change: (oldObject: JsonObject) => JsonObject,
  privacy: PrivacyOptions,
): Promise<void> {
  // Imported on demand: most commands only read, and conf fails without HOME and an entry in the user database.
  const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('./lock.ts')]).catch(
    (error: unknown) => {
      throw cannotWriteError(file, error);
    },
  );
  const replaceObject = () => {
    removeLeftoverFiles(file);
    const oldObject = readJsonFile(file, privacy) ?? {};
    const newObject = change(oldObject);
    if (newObject === oldObject) return;
    replaceLink(file, privacy);
    tryToWrite(file, () => {
      const conf = new Conf<Record<string, unknown>>({
        cwd: dirname(file),
        configName: basename(file, '.json'),
        configFileMode: 0o600,
        accessPropertiesByDotNotation: false,
        serialize: (store) => `${JSON.stringify(store, undefined, 2)}\n`,
      });
      conf.store = { ...newObject };
    });
  };
  await withLock(file, replaceObject, privacy);
}

/** Parses a text as JSON. For invalid JSON, throws the error that `errorFor` makes of a description of the fault. */
export function parseJson(text: string, errorFor: (fault: string) => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = faultPosition(text);
    throw errorFor(`invalid JSON at line ${line}, column ${column}`);
  }
}

/** Returns line and column, from 1, of the first JSON syntax error. The engine's message could quote secrets. */
export function faultPosition(text: string): { readonly line: number; readonly column: number } {
  const linesBefore = text.slice(0, faultOffset(text)).split('\n');
  return { line: linesBefore.length, column: (linesBefore.at(-1) ?? '').length + 1 };
}

const blankPattern = /[\t\n\r ]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar of JSON forbids them in texts
const stringPattern = /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const literalPattern = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

function faultOffset(json: string): number {
  let offset = 0;
  const matchLength = (token: RegExp): number | undefined => {
    token.lastIndex = offset;
    return token.exec(json)?.[0].length;
  };
  /** Moves `offset` past blanks and past a token after them. Returns false if the token is missing. */
  const skipToken = (token: RegExp): boolean => {
    offset += matchLength(blankPattern) ?? 0;
    const length = matchLength(token);
    offset += length ?? 0;
    return length !== undefined;
  };
  const skipItems = (endPattern: RegExp, skipItem: () => boolean): boolean => {
    if (skipToken(endPattern)) return true;
    do {
      if (!skipItem()) return false;
    } while (skipToken(/,/y));
    return skipToken(endPattern);
  };
  const skipValue = (): boolean => {
    if (skipToken(/\{/y)) return skipItems(/\}/y, () => skipToken(stringPattern) && skipToken(/:/y) && skipValue());
    return skipToken(/\[/y) ? skipItems(/\]/y, skipValue) : skipToken(stringPattern) || skipToken(literalPattern);
  };
  if (skipValue()) skipToken(/$/y);
  return offset;
}
