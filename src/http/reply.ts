import type { HttpResponse } from '../contract/exchange.ts';
import { writes } from '../contract/operation.ts';
import { actionFields, namesAction, type RawResponse } from '../contract/reply.ts';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { type JsonDocument, JsonFault } from '../json/read.ts';
import { isHtml, parseBody, rawResponse, withResponse } from './body.ts';
import { type CallParts, callError, lostReplyError } from './call-error.ts';
import { type RowReading, readFlag, typedRow, typeMismatchError } from './typed.ts';

/** One unwrapped page of a list; `pagination` is set when the service sent it. */
export interface RowPage {
  readonly rows: readonly unknown[];
  readonly pagination: JsonObject | undefined;
  /** Approximate size in memory. */
  readonly bytes: number;
  readonly count: number | undefined;
}

/**
 * Unwraps a 2xx response; the wrapper may be missing, unknown fields are allowed, values stay as sent. Throws rejected
 * for `ok: false`. Throws unavailable for an invalid reply to a read, outcome_unknown to a write.
 */
export async function readReply(call: CallParts, response: HttpResponse): Promise<unknown> {
  if (call.operation.reply.envelope === 'nothing') return readNothing(call, response);
  if (call.operation.reply.envelope === 'raw') return readRaw(call, response);
  const value = unwrap((await readBody(call, response)).value);
  await refuseNotOk(call, response, value);
  const action = actionIn(call, value);
  if (action) return action;
  const settled = contentOf(call, requestedItem(call, value));
  if (settled === undefined) throw lostReplyError(call, `the response is ${describe(value)}`, response.status);
  const proof = proofIn(call, response, settled);
  const [typed] = typedRows(call, [settled]);
  // Reading the proof throws when its type is wrong.
  if (proof !== undefined && isObject(typed)) Reflect.get(typed, proof);
  return typed;
}

/** Converts the fields of rows to their declared types. */
export function typedRows(call: CallParts, rows: readonly unknown[]): readonly unknown[] {
  const { operation } = call;
  const fields = { ...operation.reply.record?.fields, ...(writes(operation) && actionFields) };
  if (Object.keys(fields).length === 0) return rows;
  const isRead = !writes(operation);
  const reading: RowReading = { isRead, refuse: (mismatch, row) => typeMismatchError(call, mismatch, row) };
  let typed: unknown[] | undefined;
  for (const [at, row] of rows.entries()) {
    const read = typedRow(fields, row, reading);
    if (read === row) continue;
    // Most rows are already as declared, and a list may have millions, so the copy is made late.
    typed ??= [...rows];
    typed[at] = read;
  }
  return typed ?? rows;
}

function actionIn(call: CallParts, value: unknown): JsonObject | undefined {
  // Any write may return an action in place of its documented reply.
  const { operation } = call;
  if (!writes(operation) || operation.reply.needsProof) return undefined;
  const [only] = typedRows(call, [single(value)]);
  return namesAction(only) ? (only as JsonObject) : undefined;
}

/** Reads the rows of one page; a list without wrapper or pagination is one page. */
export async function readRows(call: CallParts, response: HttpResponse): Promise<RowPage> {
  const { value: body, bytes } = await readBody(call, response);
  const rows = unwrap(body);
  await refuseNotOk(call, response, rows);
  if (!Array.isArray(rows))
    throw lostReplyError(call, `the response is ${describe(rows)}, not a list`, response.status);
  refuseNonObjects(call, response, rows);
  const { pagination, count } = isObject(body) ? body : {};
  return {
    rows,
    pagination: isObject(pagination) ? readPagination(pagination) : undefined,
    bytes,
    count: typeof count === 'number' ? count : undefined,
  };
}

function refuseNonObjects(call: CallParts, response: HttpResponse, rows: readonly unknown[]): void {
  if (!call.operation.reply.record) return;
  const at = rows.findIndex((row) => !isObject(row));
  if (at < 0) return;
  throw lostReplyError(call, `row ${at + 1} of the response is ${describe(rows[at])}, not an object`, response.status);
}

function readPagination(pagination: JsonObject): JsonObject {
  const pages = ['next', 'current', 'pages'].map((name) => [name, pageIn(pagination[name])]);
  return { ...pagination, ...Object.fromEntries(pages) };
}

function pageIn(sent: unknown): unknown {
  if (sent === '' || sent === 'null') return null;
  // A page comes as a number, as text, or as the address of the page.
  const [, digits] = typeof sent === 'string' ? (/^(?:.*[?&]page=)?(\d{1,9})(?:[&#].*)?$/.exec(sent) ?? []) : [];
  return digits === undefined ? sent : Number(digits);
}

function contentOf({ operation }: CallParts, value: unknown): unknown {
  const { envelope } = operation.reply;
  if (envelope === 'opaque') return value;
  return envelope === 'acknowledged' && !isObject(value) ? undefined : single(value);
}

function single(value: unknown): JsonObject | undefined {
  // Services send a list of one for a single read, and an object for a list of one.
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(only) ? only : undefined;
}

function requestedItem(call: CallParts, value: unknown): unknown {
  const { named } = call.operation.reply;
  if (!named || !Array.isArray(value) || value.length < 2) return value;
  const name = decodeURIComponent(call.request.path.split('/').at(-1) ?? '');
  const found = value.find((item) => isObject(item) && named.some((field) => item[field] === name));
  if (found !== undefined) return found;
  const message = `"${name}" not found among the ${value.length} that the service returned`;
  throw callError(call, ['not_found', message], { ...(call.lister !== undefined && { hint: call.lister }) });
}

function unwrap(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'response') ? body['response'] : body;
}

async function readBody(call: CallParts, response: HttpResponse): Promise<JsonDocument> {
  // No range was requested, and the missing part is unknown.
  if (response.status === 206) throw lostReplyError(call, 'the response is incomplete (206)', response.status);
  if (response.text.trim() === '')
    throw lostReplyError(call, `the response is empty (${response.status})`, response.status);
  try {
    return await parseBody(response);
  } catch (error) {
    const fault = error instanceof JsonFault ? error.message : 'not valid JSON';
    const what = isHtml(response) ? (await errors()).describeHtml(response, call.quote) : fault;
    throw lostReplyError(call, `the response is ${what} (${response.status})`, response.status);
  }
}

async function readNothing(call: CallParts, response: HttpResponse): Promise<unknown> {
  if (isHtml(response)) {
    const { describeHtml } = await errors();
    throw lostReplyError(call, `the response is ${describeHtml(response, call.quote)}`, response.status);
  }
  const body = await parseBody(response).catch(() => undefined);
  const value = unwrap(body?.value);
  await refuseNotOk(call, response, value);
  return actionIn(call, value);
}

async function readRaw(call: CallParts, response: HttpResponse): Promise<RawResponse> {
  // Any response is accepted, except HTML pages and incomplete JSON, which no service sends.
  if (response.text.trim() !== '') await refuseNotOk(call, response, unwrap((await readBody(call, response)).value));
  return rawResponse(response);
}

async function refuseNotOk(call: CallParts, response: HttpResponse, value: unknown): Promise<void> {
  if (!isObject(value) || !Object.hasOwn(value, 'ok')) return;
  const ok = readFlag(value['ok']);
  if (ok || (ok === undefined && call.operation.reply.envelope !== 'acknowledged')) return;
  const { text } = await (await errors()).readComplaint(response, call.quote);
  const message = text ? `the service refused the request: ${text}` : 'the service refused the request';
  const error = callError(call, ['rejected', message], { status: response.status });
  throw call.operation.sends === 'raw' ? await withResponse(error, response) : error;
}

function proofIn(call: CallParts, response: HttpResponse, value: unknown): string | undefined {
  const { proof, needsProof } = call.operation.reply;
  if (!proof || !isObject(value)) return undefined;
  // Services may return an acceptance alone.
  if (readFlag(value['ok']) && !needsProof) return undefined;
  const found = proof.find((key) => value[key] !== undefined && value[key] !== null);
  if (found !== undefined) return found;
  throw lostReplyError(call, `the response has no "${proof.join('" or "')}"`, response.status);
}

/** Loaded for the first error: most responses have none. */
const errors = () => import('./response-error.ts');

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
