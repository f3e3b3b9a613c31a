import type { Context } from '../../contract/command.ts';
import type { Method, Operation } from '../../contract/operation.ts';
import { anyPageReply, type RawResponse, rawReply } from '../../contract/reply.ts';
import { isObject } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readPair } from '../../fields/read-value.ts';
import { everyOperation } from '../../resources/index.ts';
import { readLiteral } from './body-fields.ts';

type Pairs = readonly string[];
type BodyInput = { readonly raw_field?: Pairs; readonly field?: Pairs; readonly input?: string };
type ApiField = Omit<ReturnType<typeof readField>, 'value'> & { readonly value: unknown };
type Payload = Awaited<ReturnType<typeof readPayload>>;
type DeclaredOperation = Pick<Operation, 'scope' | 'params'>;

/** Returns the fields for the query of a GET, or the body for another method. */
export async function readPayload(context: Context, method: Method, { raw_field = [], field = [], input }: BodyInput) {
  if (input !== undefined) return { fields: [], body: await readBody(context, input) };
  const fields: ApiField[] = raw_field.map(readField);
  for (const { value, ...parts } of field.map(readField)) {
    const parsed = value.startsWith('@') ? await context.readText(value.slice(1)) : readLiteral(value, BigInt);
    fields.push({ ...parts, value: parsed });
  }
  return method === 'GET' || fields.length === 0 ? { fields } : { fields: [], body: fieldsAsBody(fields) };
}

async function readBody(context: Context, file: string): Promise<string> {
  const body = await context.readText(file);
  try {
    JSON.parse(body);
    return body;
  } catch {
    throw new CliError('usage', `--input: ${file === '-' ? 'stdin' : `"${file}"`} is not valid JSON`);
  }
}

type ApiCall = { readonly method: Method; readonly target: ApiPath; readonly payload: Payload };

/** Sends one request. If the service responds with an error, the thrown error has the response in `partial`. */
export async function sendRaw(context: Context, apiCall: ApiCall): Promise<RawResponse> {
  const { operation, input } = requestOf(apiCall);
  return context.call({ ...operation, reply: rawReply }, input);
}

export async function readAllPages(context: Context, apiCall: ApiCall): Promise<readonly unknown[]> {
  const { operation, input } = requestOf(apiCall);
  if (input.query.has('page'))
    throw new CliError('usage', '--paginate reads all pages; remove the query parameter page');
  return context.call({ ...operation, reply: anyPageReply }, input, { limit: context.limit });
}

function requestOf({ method, target, payload }: ApiCall) {
  const { path } = target;
  const query = new URLSearchParams(target.query);
  for (const { name, value } of payload.fields) query.append(name, value === null ? '' : String(value));
  const match = findOperation(method, path);
  const undocumented = { scope: 'unknown', params: {}, listCommand: 'api --list' } as const;
  // A documented operation lends the request its scope, its check command and its secret parameters.
  const { outside: _, ...declared }: Partial<Operation> & DeclaredOperation = match?.operation ?? undocumented;
  // A printed command can contain only these characters, so a path with any other character has no check command.
  const checkCommand = !match?.operation.listCommand && /^[\w/.:@+,-]+$/.test(path) ? { check: `api ${path}` } : {};
  const operation: Omit<Operation, 'reply'> = { ...checkCommand, ...declared, method, path, about: '', sends: 'raw' };
  return { operation, input: { ...match?.values, query, body: payload.body } };
}

function readField(text: string) {
  // In a body, the name `a[b][]` has the keys `a`, `b` and an empty one. In a query, the whole name is one key.
  const [name, value] = readPair(text);
  if (!/^[^[\]=]+(\[[^[\]=]*\])*$/.test(name)) {
    throw new CliError('usage', `"${name}" is not a field name: use a, a[b] or a[]`);
  }
  const keys = name.split('[').map((key) => key.replace(/\]$/, ''));
  return { name, keys, value };
}

type BodyObject = Record<string, unknown>;

function fieldsAsBody(fields: readonly ApiField[]): unknown {
  const body = emptyObject();
  for (const { name, keys, value } of fields) {
    if (!setMember(body, keys, value))
      throw new CliError('usage', `"${name}" conflicts with another field, or is given twice`);
  }
  return body;
}

function emptyObject(): BodyObject {
  // The object has no prototype, so that `__proto__` is an ordinary name.
  return Object.create(null) as BodyObject;
}

function setMember(tree: unknown, [key = '', ...innerKeys]: readonly string[], value: unknown): boolean {
  if (Array.isArray(tree)) return key === '' && addToList(tree, innerKeys, value);
  if (!isBodyObject(tree) || key === '') return false;
  if (innerKeys.length > 0) {
    tree[key] ??= emptyContainer(innerKeys);
    return setMember(tree[key], innerKeys, value);
  }
  if (key in tree) return false;
  tree[key] = value;
  return true;
}

/** Adds a value to a list. `a[][x]=1 a[][y]=2 a[][x]=3` makes two items, because a repeated name starts a new item. */
function addToList(list: unknown[], innerKeys: readonly string[], value: unknown): boolean {
  const [name = ''] = innerKeys;
  if (innerKeys.length === 0) return list.push(value) > 0;
  const lastItem = list.at(-1);
  const fitsLast = isBodyObject(lastItem) && !(innerKeys.length === 1 && name in lastItem);
  if (!fitsLast) list.push(emptyContainer(innerKeys));
  return setMember(list.at(-1), innerKeys, value);
}

function emptyContainer([next]: readonly string[]): BodyObject | unknown[] {
  return next === '' ? [] : emptyObject();
}

function isBodyObject(tree: unknown): tree is BodyObject {
  return isObject(tree);
}

type ApiPath = ReturnType<typeof readPath>;

/** Splits input into the percent-encoded path and the query. Throws `usage` for a path outside of the base address. */
export function readPath(input: string) {
  const refuse = (why: string): never => {
    throw new CliError('usage', `unusable path "${input}": ${why}`, { hint: { path: 'api', flags: ['--list'] } });
  };
  if (/^[a-z][a-z0-9+.-]*:|^\/\//i.test(input)) refuse('it must be relative to the base address, such as /accounts');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it searches for control characters
  if (/[\u0000-\u001f\u007f\\#]/.test(input) || !input.isWellFormed())
    refuse('it must not contain #, \\ or control characters');
  const queryStart = input.includes('?') ? input.indexOf('?') : input.length;
  const segments = input.slice(0, queryStart).replace(/^\//, '').split('/');
  const decoded = segments.map((one) => decodeSegment(one) ?? refuse('each % must be followed by two hex digits'));
  if (decoded.some((segment) => /^\.\.?$|[/\\]/.test(segment)))
    refuse('it must not contain . or .. segments or encoded slashes');
  return { path: `/${segments.map(encodeSegment).join('/')}`, query: input.slice(queryStart + 1) };
}

function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function encodeSegment(segment: string): string {
  // `%` stays as it is, because it begins an encoded character.
  return segment.replace(/[^\w.~!$&'()*+,;=:@%-]+/g, encodeURIComponent);
}

function findOperation(method: Method, path: string) {
  const matches = everyOperation().flatMap(([, operation]) => {
    const values = operation.method === method ? readPathValues(operation.path, path) : undefined;
    return values ? [{ operation, values }] : [];
  });
  const sizeOf = (values: object) => Object.keys(values).length;
  return matches.toSorted((one, other) => sizeOf(one.values) - sizeOf(other.values))[0];
}

function readPathValues(pattern: string, path: string): Readonly<Record<string, string>> | undefined {
  const match = new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`).exec(path);
  return match ? { ...match.groups } : undefined;
}
