import { basename, dirname } from 'node:path';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { cannotUse, cannotWrite, orCannotWrite } from './file-fault.ts';
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
  const [{ default: Conf }, { withLock }] = await Promise.all([import('conf'), import('./lock.ts')]).catch(
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

type Expected = 'value' | 'first' | 'key' | 'firstKey' | 'colon' | 'more' | 'end';
/** The tokens that may follow in the open containers; undefined if this token is not allowed. */
type Move = (open: string[]) => Expected | undefined;

const after: Move = (open) => (open.length > 0 ? 'more' : 'end');
const leave: Move = (open) => {
  open.pop();
  return after(open);
};
const enter =
  (sign: string, next: Expected): Move =>
  (open) => {
    open.push(sign);
    return next;
  };
const leaveOnly =
  (sign: string): Move =>
  (open) =>
    open.at(-1) === sign ? leave(open) : undefined;

const values = { '{': enter('{', 'firstKey'), '[': enter('[', 'first'), text: after, word: after };
const moves: Readonly<Record<Expected, Readonly<Record<string, Move>>>> = {
  value: values,
  first: { ...values, ']': leave },
  key: { text: () => 'colon' },
  firstKey: { text: () => 'colon', '}': leave },
  colon: { ':': () => 'value' },
  more: { ',': (open) => (open.at(-1) === '{' ? 'key' : 'value'), '}': leaveOnly('{'), ']': leaveOnly('[') },
  end: {},
};

const token =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar of JSON forbids them in texts
  /[\t\n\r ]*(?:([{}[\]:,])|("(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/** Line and column of the first syntax error, from 1. The engine's own message quotes the content, even secrets. */
export function faultPlace(text: string): { readonly line: number; readonly column: number } {
  const before = text.slice(0, faultOffset(text)).split('\n');
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

function faultOffset(text: string): number {
  const open: string[] = [];
  let expected: Expected = 'value';
  let offset = 0;
  for (;;) {
    token.lastIndex = offset;
    const found = token.exec(text);
    const sign = found?.[1] ?? (found?.[2] ? 'text' : 'word');
    const next: Expected | undefined = found ? moves[expected][sign]?.(open) : undefined;
    if (!found || !next) return offset + (/^[\t\n\r ]*/.exec(text.slice(offset))?.[0].length ?? 0);
    offset += found[0].length;
    expected = next;
  }
}
