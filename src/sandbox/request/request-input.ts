import { isObject } from '../../contract/values/json-object.ts';
import { refuse } from '../context.ts';
import { isPaged } from '../replies/forms.ts';
import { checkFields, type Given } from './check.ts';
import type { Route } from './router.ts';

export interface GivenRequest {
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  readonly contentType?: string;
}

/** Query and body together: service.md says that both forms appear, and not which endpoint takes which. */
export function givenBy({ query, body, contentType = '' }: GivenRequest, strict: boolean): Given {
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') && !body?.trimStart().startsWith('{');
  const fields = !strict && isForm ? parameters(new URLSearchParams(body)) : readJson(body);
  return { ...parameters(query), ...fields };
}

function readJson(body: string | undefined): Given {
  if (body === undefined || body === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    refuse(400, 'the body is not JSON');
  }
  return isObject(value) ? value : refuse(400, 'the body must be a JSON object');
}

/** Bodies of unknown shape (service.md: cluster creation), and those of which only a part counts (user update). */
const openBodies: readonly string[] = ['clusters.create', 'users.update'];

/**
 * The input of the operation, checked against its declaration; throws 400. Unknown parameters are an error only when
 * strict.
 */
export function readRequestInput(
  { id, operation, pathValues }: Route,
  given: Given,
  strict: boolean,
): { readonly page: number; readonly input: Given } {
  const twice = Object.keys(pathValues).find((name) => Object.hasOwn(given, name));
  if (strict && twice !== undefined) refuse(400, `parameter "${twice}" is allowed in the path only`);
  const hasPages = isPaged(operation.reply);
  const { page, ...others } = given;
  const values = { ...(hasPages ? others : given), ...pathValues };
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
 * Parameters of a query or form as one object, nested as Rails reads them: `a[]=1&a[]=2` is a list, `a[b]=1` an object,
 * and in `a[][b]=1&a[][b]=2` a name that comes again begins the next item. Throws 400 for names that go on and on.
 */
function parameters(pairs: URLSearchParams): Given {
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
    // An empty key stands for the list in which the value, or the object that holds it, is an item.
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
