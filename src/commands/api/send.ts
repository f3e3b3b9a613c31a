import type { Context } from '../../contract/command.ts';
import type { Method, Operation } from '../../contract/operation.ts';
import { anyPage, type RawResponse, rawReply } from '../../contract/reply.ts';
import { Problem } from '../../problems/problem.ts';
import { type ApiField, fieldsAsBody, readField, typedValue } from './fields.ts';
import { type ApiPath, knownOperation } from './path.ts';

export interface PayloadInput {
  readonly raw_field?: readonly string[];
  readonly field?: readonly string[];
  readonly input?: string;
}

/** The query parameters or the body. */
export interface Payload {
  readonly fields: readonly ApiField[];
  readonly body?: unknown;
}

/** Fields are sent in the query of a GET and in the body of other methods. */
export async function readPayload(context: Context, method: Method, given: PayloadInput): Promise<Payload> {
  if (given.input !== undefined) return { fields: [], body: await readBody(context, given.input) };
  const fields: ApiField[] = (given.raw_field ?? []).map(readField);
  for (const field of (given.field ?? []).map(readField)) {
    fields.push({ ...field, value: await typedValue(field.value, context.readText) });
  }
  return method === 'GET' || fields.length === 0 ? { fields } : { fields: [], body: fieldsAsBody(fields) };
}

/** The unchanged text of a file, after a check that it is JSON. */
async function readBody(context: Context, file: string): Promise<string> {
  const body = await context.readText(file);
  try {
    JSON.parse(body);
    return body;
  } catch {
    throw new Problem('usage', `--input: ${file === '-' ? 'stdin' : `"${file}"`} is not valid JSON`);
  }
}

export interface ApiCall {
  readonly method: Method;
  readonly place: ApiPath;
  readonly payload: Payload;
}

/** One request; a Problem carries the response as `partial`. */
export async function sendRaw(context: Context, wanted: ApiCall): Promise<RawResponse> {
  return context.call({ ...operationFor(wanted), reply: rawReply }, valuesFor(wanted));
}

/** The items of all pages. */
export async function readAllPages(context: Context, wanted: ApiCall): Promise<readonly unknown[]> {
  const values = valuesFor(wanted);
  if (values.query.has('page'))
    throw new Problem('usage', '--paginate reads all pages; remove the query parameter page');
  const more = context.limit === undefined ? {} : { limit: context.limit };
  return context.call({ ...operationFor(wanted), reply: anyPage }, values, more);
}

/** Sent as the known operation, so that its scope and its `check` command apply. */
function operationFor({ method, place: { path } }: ApiCall): Omit<Operation, 'reply'> {
  const known = knownOperation(method, path)?.operation;
  const check = known?.check ?? (isPlain(path) ? `api ${path}` : undefined);
  const lister = known ? known.lister : 'api --list';
  const missing = known?.missing;
  const scope = known?.scope ?? 'unknown';
  // Its parameters declare which values are secret.
  const params = known?.params ?? {};
  return {
    method,
    path,
    scope,
    about: '',
    params,
    sends: 'raw',
    ...(check !== undefined && { check }),
    ...(lister !== undefined && { lister }),
    ...(missing !== undefined && { missing }),
  };
}

function valuesFor({ method, place, payload }: ApiCall) {
  const query = new URLSearchParams(place.query);
  for (const { name, value } of payload.fields) query.append(name, value === null ? '' : String(value));
  return { ...knownOperation(method, place.path)?.values, query, body: payload.body };
}

/** True when a path can be printed in a command. */
function isPlain(path: string): boolean {
  return /^[\w/.:@+,-]+$/.test(path);
}
