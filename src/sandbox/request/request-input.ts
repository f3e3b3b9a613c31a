import { isObject } from '../../contract/values/json.ts';
import { refuse } from '../context.ts';
import { isPaged } from '../replies/forms.ts';
import { checkFields, type RequestValues } from './check.ts';
import type { Route } from './router.ts';

export interface RequestParts {
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  readonly contentType?: string;
}

/** Parameters of query and body: service.md mentions both, but not for which endpoint. */
export function requestValues({ query, body, contentType = '' }: RequestParts, strict: boolean): RequestValues {
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') && !body?.trimStart().startsWith('{');
  const fields = !strict && isForm ? parameters(new URLSearchParams(body)) : readJson(body);
  return { ...parameters(query), ...fields };
}

function readJson(body: string | undefined): RequestValues {
  if (body === undefined || body === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    refuse(400, 'the body is not JSON');
  }
  return isObject(value) ? value : refuse(400, 'the body must be a JSON object');
}

/** Operations with a body of unknown shape (cluster creation) or with additional fields (user update). */
const openBodies: readonly string[] = ['clusters.create', 'users.update'];

/** Reads the input of the operation and checks it. Throws 400. Unknown parameters are errors only with `strict`. */
export function readRequestInput(
  { id, operation, pathValues }: Route,
  sent: RequestValues,
  strict: boolean,
): { readonly page: number; readonly input: RequestValues } {
  const twice = Object.keys(pathValues).find((name) => Object.hasOwn(sent, name));
  if (strict && twice !== undefined) refuse(400, `parameter "${twice}" is allowed in the path only`);
  const hasPages = isPaged(operation.reply);
  const { page, ...others } = sent;
  const values = { ...(hasPages ? others : sent), ...pathValues };
  const input = checkFields(operation.params, values, { strict: strict && !openBodies.includes(id) });
  return { page: hasPages ? readPage(page) : 1, input };
}

function readPage(value: unknown): number {
  const page = Number(value ?? 1);
  return Number.isSafeInteger(page) && page >= 1
    ? page
    : refuse(400, 'parameter "page" must be an integer, at least 1');
}

type Tree = Record<string, unknown>;

const mostKeys = 32;

/**
 * Reads the parameters of a query or form as one object, nested as in Rails: `a[]=1&a[]=2` is a list, `a[b]=1` an
 * object, and in `a[][b]=1&a[][b]=2` a repeated name begins the next item. Throws 400 for too many levels.
 */
function parameters(pairs: URLSearchParams): RequestValues {
  const tree: Tree = Object.create(null);
  for (const [name, value] of pairs) {
    const [, first = name, rest = ''] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
    const keys = [...rest.matchAll(/\[([^\]]*)\]/gy)].map((match) => match[1] ?? '');
    if (keys.length > mostKeys) refuse(400, `a parameter has more than ${mostKeys} keys in brackets`);
    put(tree, [first, ...keys], value);
  }
  return { ...tree };
}

function put(tree: Tree, [key = '', ...keys]: readonly string[], value: string): void {
  const [next, ...inner] = keys;
  if (next === undefined) {
    tree[key] = value;
  } else if (next === '') {
    // An empty key means an item of a list.
    const list = Array.isArray(tree[key]) ? tree[key] : [];
    tree[key] = list;
    putInList(list, inner, value);
  } else {
    const inside: Tree = isObject(tree[key]) ? tree[key] : Object.create(null);
    tree[key] = inside;
    put(inside, keys, value);
  }
}

function putInList(list: unknown[], keys: readonly string[], value: string): void {
  if (keys.length === 0) return void list.push(value);
  const last = list.at(-1);
  const isFree = isObject(last) && (keys.length > 1 || !Object.hasOwn(last, keys[0] ?? ''));
  const item = isFree ? last : (Object.create(null) as Tree);
  if (!isFree) list.push(item);
  put(item, keys, value);
}
