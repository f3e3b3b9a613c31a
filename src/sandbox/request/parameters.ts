import { isObject } from '../../contract/values/json-object.ts';
import { refuse } from '../refusal.ts';
import type { Given } from './check.ts';

type Tree = Record<string, unknown>;

const mostKeys = 32;

/**
 * Parameters of a query or form as one object, nested as Rails reads them: `a[]=1&a[]=2` is a list, `a[b]=1` an object,
 * and in `a[][b]=1&a[][b]=2` a name that comes again begins the next item. Throws 400 for names that go on and on.
 */
export function parameters(pairs: URLSearchParams): Given {
  const tree: Tree = Object.create(null);
  for (const [name, value] of pairs) {
    const [, first = name, rest = ''] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
    const keys = [...rest.matchAll(/\[([^\]]*)\]/g)].map((match) => match[1] ?? '');
    if (keys.length > mostKeys) refuse(400, `a parameter has more than ${mostKeys} keys in brackets`);
    put(tree, [first, ...keys], value);
  }
  return { ...tree };
}

/** An empty key stands for the list in which the value, or the object that holds it, is an item. */
function put(tree: Tree, [key = '', ...keys]: readonly string[], value: string): void {
  const [next, ...inner] = keys;
  if (next === undefined) tree[key] = value;
  else if (next === '') putInList(listAt(tree, key), inner, value);
  else put(objectAt(tree, key), keys, value);
}

function putInList(list: unknown[], keys: readonly string[], value: string): void {
  if (keys.length === 0) return void list.push(value);
  const last = list.at(-1);
  const isFree = isObject(last) && (keys.length > 1 || !Object.hasOwn(last, keys[0] ?? ''));
  const item = isFree ? last : (Object.create(null) as Tree);
  if (!isFree) list.push(item);
  put(item, keys, value);
}

function listAt(tree: Tree, key: string): unknown[] {
  const found = tree[key];
  if (Array.isArray(found)) return found;
  const list: unknown[] = [];
  tree[key] = list;
  return list;
}

function objectAt(tree: Tree, key: string): Tree {
  const found = tree[key];
  if (isObject(found)) return found;
  const object: Tree = Object.create(null);
  tree[key] = object;
  return object;
}
