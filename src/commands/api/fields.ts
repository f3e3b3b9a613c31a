import { Problem } from '../../problems/problem.ts';

/** One `-f` or `-F`: `a[b][]=c` has the keys `a`, `b`, `` and a value. */
export interface ApiField {
  /** As typed, for queries: `a[b][]`. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** Splits at the first `=`; throws usage for names that are not `a`, `a[b]`, `a[]` and so on. */
export function readField(text: string): ApiField & { readonly value: string } {
  const cut = text.indexOf('=');
  if (cut < 0) throw new Problem('usage', `"${text}" has no "=": write ${text}=VALUE`);
  const name = text.slice(0, cut);
  if (!/^[^[\]=]+(\[[^[\]=]*\])*$/.test(name)) {
    throw new Problem('usage', `"${name}" is not a field name: use a, a[b] or a[]`);
  }
  const keys = name.split('[').map((key) => key.replace(/\]$/, ''));
  return { name, keys, value: text.slice(cut + 1) };
}

/** Values of `true`, `false`, `null` and whole numbers are typed, `@file` and `@-` are read, anything else is text. */
export async function typedValue(text: string, readText: (path: string) => Promise<string>): Promise<unknown> {
  if (text.startsWith('@')) return readText(text.slice(1));
  if (text === 'true' || text === 'false') return text === 'true';
  if (text === 'null') return null;
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

type Members = Record<string, unknown>;

/** The object that the fields describe; throws usage when two contradict each other. */
export function fieldsAsBody(fields: readonly ApiField[]): unknown {
  const body = emptyMembers();
  for (const { name, keys, value } of fields) {
    if (!plant(body, keys, value))
      throw new Problem('usage', `"${name}" conflicts with another field, or is given twice`);
  }
  return body;
}

/** No prototype, so that names such as `__proto__` are ordinary. */
function emptyMembers(): Members {
  return Object.create(null) as Members;
}

/** False when the key is already set or holds another type. */
function plant(tree: unknown, [key = '', ...rest]: readonly string[], value: unknown): boolean {
  if (Array.isArray(tree)) return key === '' && plantInList(tree, rest, value);
  if (!isMembers(tree) || key === '') return false;
  if (rest.length > 0) {
    tree[key] ??= emptyFor(rest);
    return plant(tree[key], rest, value);
  }
  if (key in tree) return false;
  tree[key] = value;
  return true;
}

/** `a[][x]=1 a[][y]=2 a[][x]=3` is two items: a name that the last item already has starts a new one. */
function plantInList(list: unknown[], rest: readonly string[], value: unknown): boolean {
  const [name = ''] = rest;
  if (rest.length === 0) return list.push(value) > 0;
  const last = list.at(-1);
  const fits = isMembers(last) && !(rest.length === 1 && name in last);
  if (!fits) list.push(emptyFor(rest));
  return plant(list.at(-1), rest, value);
}

function emptyFor([next]: readonly string[]): Members | unknown[] {
  return next === '' ? [] : emptyMembers();
}

function isMembers(tree: unknown): tree is Members {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree);
}
