import type { HttpResponse } from '../contract/exchange.ts';
import { isWriteOperation } from '../contract/operation.ts';
import { actionFields, namesAction, type RawResponse } from '../contract/reply.ts';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { type JsonDocument, JsonFault } from '../json/read.ts';
import { errorWithResponse, isHtml, parseBody, rawResponse } from './body.ts';
import { type CallParts, callError, lostReplyError } from './call-error.ts';
import { type ConversionOptions, readFlag, typedRow, typeMismatchError } from './typed.ts';

/** One unwrapped page of a list. `pagination` is undefined if the service sent none. */
export interface RowPage {
  readonly rows: readonly unknown[];
  readonly pagination: JsonObject | undefined;
  /** Approximate size of the page in memory. */
  readonly memoryBytes: number;
  readonly count: number | undefined;
}

/**
 * Returns the content of a 2xx response, which may lie in a `response` wrapper, with typed fields. Unknown fields are
 * allowed. Throws `rejected` for `ok: false`. For an invalid response, throws `unavailable` after a read and
 * `outcome_unknown` after a write.
 */
export async function readReply(call: CallParts, response: HttpResponse): Promise<unknown> {
  if (call.operation.reply.envelope === 'nothing') return readEmptyReply(call, response);
  if (call.operation.reply.envelope === 'raw') return readRawReply(call, response);
  const value = unwrapBody((await readBody(call, response)).value);
  await refuseNotOk(call, response, value);
  const action = findAction(call, value);
  if (action) return action;
  const content = contentOf(call, findRequestedItem(call, value));
  if (content === undefined) throw lostReplyError(call, `the response is ${typeText(value)}`, response.status);
  const proofField = findProofField(call, response, content);
  const [typed] = typedRows(call, [content]);
  // The field that proves success is read here, because reading it throws if its value has the wrong type.
  if (proofField !== undefined && isObject(typed)) Reflect.get(typed, proofField);
  return typed;
}

export function typedRows(call: CallParts, rows: readonly unknown[]): readonly unknown[] {
  const { operation } = call;
  const fields = { ...operation.reply.record?.fields, ...(isWriteOperation(operation) && actionFields) };
  if (Object.keys(fields).length === 0) return rows;
  const conversionOptions: ConversionOptions = {
    isRead: !isWriteOperation(operation),
    mismatchError: (mismatch, row) => typeMismatchError(call, mismatch, row),
  };
  let convertedRows: unknown[] | undefined;
  for (const [at, row] of rows.entries()) {
    const convertedRow = typedRow(fields, row, conversionOptions);
    if (convertedRow === row) continue;
    // A list may have millions of rows, so it is copied only if a row has been converted.
    convertedRows ??= [...rows];
    convertedRows[at] = convertedRow;
  }
  return convertedRows ?? rows;
}

function findAction(call: CallParts, value: unknown): JsonObject | undefined {
  // A write may return an action in place of its documented reply, unless that reply needs a proof.
  const { operation } = call;
  if (!isWriteOperation(operation) || operation.reply.needsProof) return undefined;
  const [only] = typedRows(call, [toSingleObject(value)]);
  return namesAction(only) ? (only as JsonObject) : undefined;
}

/** Returns one page of a list. A list without a wrapper or pagination is one page. */
export async function readRows(call: CallParts, response: HttpResponse): Promise<RowPage> {
  const { value: body, memoryBytes } = await readBody(call, response);
  const rows = unwrapBody(body);
  await refuseNotOk(call, response, rows);
  if (!Array.isArray(rows))
    throw lostReplyError(call, `the response is ${typeText(rows)}, not a list`, response.status);
  refuseNonObjects(call, response, rows);
  const { pagination, count } = isObject(body) ? body : {};
  return {
    rows,
    pagination: isObject(pagination) ? readPagination(pagination) : undefined,
    memoryBytes,
    count: typeof count === 'number' ? count : undefined,
  };
}

function refuseNonObjects(call: CallParts, response: HttpResponse, rows: readonly unknown[]): void {
  if (!call.operation.reply.record) return;
  const at = rows.findIndex((row) => !isObject(row));
  if (at < 0) return;
  throw lostReplyError(call, `row ${at + 1} of the response is ${typeText(rows[at])}, not an object`, response.status);
}

function readPagination(pagination: JsonObject): JsonObject {
  const pageNumberEntries = ['next', 'current', 'pages'].map((name) => [name, readPageNumber(pagination[name])]);
  return { ...pagination, ...Object.fromEntries(pageNumberEntries) };
}

function readPageNumber(sentValue: unknown): unknown {
  if (sentValue === '' || sentValue === 'null') return null;
  // Services send the number of a page as a number, as text, or in the address of that page.
  const [, digits] =
    typeof sentValue === 'string' ? (/^(?:.*[?&]page=)?(\d{1,9})(?:[&#].*)?$/.exec(sentValue) ?? []) : [];
  return digits === undefined ? sentValue : Number(digits);
}

function contentOf({ operation }: CallParts, value: unknown): unknown {
  const { envelope } = operation.reply;
  if (envelope === 'opaque') return value;
  return envelope === 'acknowledged' && !isObject(value) ? undefined : toSingleObject(value);
}

function toSingleObject(value: unknown): JsonObject | undefined {
  // Some services send a single object as a list with one item.
  const onlyItem = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(onlyItem) ? onlyItem : undefined;
}

function findRequestedItem(call: CallParts, value: unknown): unknown {
  const { named } = call.operation.reply;
  if (!named || !Array.isArray(value) || value.length < 2) return value;
  const name = decodeURIComponent(call.request.path.split('/').at(-1) ?? '');
  const requestedRow = value.find((item) => isObject(item) && named.some((field) => item[field] === name));
  if (requestedRow !== undefined) return requestedRow;
  const message = `"${name}" not found among the ${value.length} that the service returned`;
  throw callError(call, 'not_found', message, { hint: call.listCommand });
}

function unwrapBody(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'response') ? body['response'] : body;
}

async function readBody(call: CallParts, response: HttpResponse): Promise<JsonDocument> {
  // 206 means a part of the response. No range was requested, so the rest is missing.
  if (response.status === 206) throw lostReplyError(call, 'the response is incomplete (206)', response.status);
  if (response.text.trim() === '')
    throw lostReplyError(call, `the response is empty (${response.status})`, response.status);
  try {
    return await parseBody(response);
  } catch (error) {
    const jsonFaultText = error instanceof JsonFault ? error.message : 'not valid JSON';
    const faultText = isHtml(response) ? (await loadErrorModule()).describeHtml(response, call.quote) : jsonFaultText;
    throw lostReplyError(call, `the response is ${faultText} (${response.status})`, response.status);
  }
}

async function readEmptyReply(call: CallParts, response: HttpResponse): Promise<unknown> {
  if (isHtml(response)) {
    const { describeHtml } = await loadErrorModule();
    throw lostReplyError(call, `the response is ${describeHtml(response, call.quote)}`, response.status);
  }
  const body = await parseBody(response).catch(() => undefined);
  const value = unwrapBody(body?.value);
  await refuseNotOk(call, response, value);
  return findAction(call, value);
}

async function readRawReply(call: CallParts, response: HttpResponse): Promise<RawResponse> {
  // Throws for a body that is not JSON, such as an HTML page, because the service sends only JSON.
  if (response.text.trim() !== '')
    await refuseNotOk(call, response, unwrapBody((await readBody(call, response)).value));
  return rawResponse(response);
}

async function refuseNotOk(call: CallParts, response: HttpResponse, value: unknown): Promise<void> {
  if (!isObject(value) || !Object.hasOwn(value, 'ok')) return;
  const ok = readFlag(value['ok']);
  if (ok || (ok === undefined && call.operation.reply.envelope !== 'acknowledged')) return;
  const { text } = await (await loadErrorModule()).readComplaint(response, call.quote);
  const message = text ? `the service refused the request: ${text}` : 'the service refused the request';
  const error = callError(call, 'rejected', message, { status: response.status });
  throw call.operation.sends === 'raw' ? await errorWithResponse(error, response) : error;
}

function findProofField(call: CallParts, response: HttpResponse, value: unknown): string | undefined {
  const { proof, needsProof } = call.operation.reply;
  if (!proof || !isObject(value)) return undefined;
  // Some services confirm a write with `ok: true` alone, which is enough unless `needsProof` is set.
  if (readFlag(value['ok']) && !needsProof) return undefined;
  const proofName = proof.find((key) => value[key] !== undefined && value[key] !== null);
  if (proofName !== undefined) return proofName;
  throw lostReplyError(call, `the response has no "${proof.join('" or "')}"`, response.status);
}

/** Loads the code for error responses on demand, because most responses are no errors. */
const loadErrorModule = () => import('./response-error.ts');

function typeText(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
