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

/** Returns the parameters of query and body together: service.md does not say where an endpoint expects them. */
export function readRequestValues({ query, body, contentType = '' }: RequestParts, strict: boolean): RequestValues {
  const isForm = contentType.startsWith('application/x-www-form-urlencoded') && !body?.trimStart().startsWith('{');
  const bodyValues = !strict && isForm ? readParameters(new URLSearchParams(body)) : readJsonBody(body);
  return { ...readParameters(query), ...bodyValues };
}

function readJsonBody(body: string | undefined): RequestValues {
  if (!body) return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    refuse(400, 'the body is not JSON');
  }
  return isObject(value) ? value : refuse(400, 'the body must be a JSON object');
}

/** IDs of operations that accept undeclared fields even with `strict`, because service.md leaves their bodies open. */
const lenientOperationIds: readonly string[] = ['clusters.create', 'users.update'];

/** Returns the checked input of an operation, and its page. Refuses invalid input; unknown names only if `strict`. */
export function readRequestInput({ id, operation, pathValues }: Route, sentValues: RequestValues, strict: boolean) {
  const repeatedName = Object.keys(pathValues).find((name) => Object.hasOwn(sentValues, name));
  if (strict && repeatedName !== undefined) refuse(400, `parameter "${repeatedName}" is allowed in the path only`);
  const hasPages = isPaged(operation.reply);
  const { page, ...withoutPage } = sentValues;
  const values = { ...(hasPages ? withoutPage : sentValues), ...pathValues };
  const input = checkFields(operation.params, values, { strict: strict && !lenientOperationIds.includes(id) });
  return { page: hasPages ? readPage(page) : 1, input };
}

function readPage(value: unknown): number {
  const page = Number(value ?? 1);
  if (!Number.isSafeInteger(page) || page < 1) refuse(400, 'parameter "page" must be an integer, at least 1');
  return page;
}

type ParameterTree = Record<string, unknown>;

const maxBracketKeys = 32;

/**
 * Reads the parameters of a query or form as one object, nested as in Rails: `a[]=1&a[]=2` is a list, `a[b]=1` an
 * object, and in `a[][b]=1&a[][b]=2` a repeated name begins the next item. More than `maxBracketKeys` keys get 400.
 */
function readParameters(pairs: URLSearchParams): RequestValues {
  const tree: ParameterTree = Object.create(null);
  for (const [name, value] of pairs) {
    const [, first = name, rest = ''] = /^([^[]+)((?:\[[^\]]*\])*)$/.exec(name) ?? [];
    const keys = [...rest.matchAll(/\[([^\]]*)\]/gy)].map((match) => match[1] ?? '');
    if (keys.length > maxBracketKeys) refuse(400, `a parameter has more than ${maxBracketKeys} keys in brackets`);
    putValue(tree, [first, ...keys], value);
  }
  return { ...tree };
}

function putValue(tree: ParameterTree, [key = '', ...keys]: readonly string[], value: string): void {
  const [next, ...inner] = keys;
  if (next === undefined) {
    tree[key] = value;
  } else if (next === '') {
    // An empty key means an item of a list.
    const list = Array.isArray(tree[key]) ? tree[key] : [];
    tree[key] = list;
    putInList(list, inner, value);
  } else {
    const child: ParameterTree = isObject(tree[key]) ? tree[key] : Object.create(null);
    tree[key] = child;
    putValue(child, keys, value);
  }
}

function putInList(list: unknown[], keys: readonly string[], value: string): void {
  if (keys.length === 0) return void list.push(value);
  const lastItem = list.at(-1);
  const canTakeKey = isObject(lastItem) && (keys.length > 1 || !Object.hasOwn(lastItem, keys[0] ?? ''));
  const item = canTakeKey ? lastItem : (Object.create(null) as ParameterTree);
  if (!canTakeKey) list.push(item);
  putValue(item, keys, value);
}
