import type { HttpResponse } from '../contract/exchange.ts';
import { isWriteOperation } from '../contract/operation.ts';
import { actionFields, namesAction } from '../contract/reply.ts';
import { asObject, isObject, type JsonObject } from '../contract/values/json.ts';
import type { CliError } from '../errors/cli-error.ts';
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
 * Returns the typed content of a 2xx response, perhaps from a `response` wrapper. Throws `rejected` for `ok: false`.
 * For an invalid response, throws `unavailable` after a read and `outcome_unknown` after a write.
 */
export async function readReply(call: CallParts, response: HttpResponse): Promise<unknown> {
  const { envelope } = call.operation.reply;
  const value = unwrapBody(await readValue(call, response));
  await refuseNotOk(call, response, value);
  if (envelope === 'raw') return rawResponse(response);
  const action = findAction(call, value);
  if (action || envelope === 'nothing') return action;
  const content = contentOf(call, findRequestedItem(call, value));
  if (content === undefined) throw invalidReplyError(call, response, typeText(value));
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
  return rows.map((row) => typedRow(fields, row, conversionOptions));
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
  if (!Array.isArray(rows)) throw invalidReplyError(call, response, `${typeText(rows)}, not a list`);
  const wrongAt = call.operation.reply.record ? rows.findIndex((row) => !isObject(row)) : -1;
  if (wrongAt >= 0) {
    const why = `row ${wrongAt + 1} of the response is ${typeText(rows[wrongAt])}, not an object`;
    throw lostReplyError(call, why, response.status);
  }
  const { pagination, count } = asObject(body);
  return {
    rows,
    pagination: isObject(pagination) ? readPagination(pagination) : undefined,
    memoryBytes,
    count: typeof count === 'number' ? count : undefined,
  };
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
  if (response.status === 206) throw invalidReplyError(call, response, 'incomplete (206)');
  if (response.text.trim() === '') throw invalidReplyError(call, response, `empty (${response.status})`);
  try {
    return await parseBody(response);
  } catch (error) {
    const jsonFaultText = error instanceof JsonFault ? error.message : 'not valid JSON';
    const faultText = isHtml(response) ? await htmlText(call, response) : jsonFaultText;
    throw invalidReplyError(call, response, `${faultText} (${response.status})`);
  }
}

async function readValue(call: CallParts, response: HttpResponse): Promise<unknown> {
  const { envelope } = call.operation.reply;
  if (envelope === 'raw' && response.text.trim() === '') return undefined;
  if (envelope !== 'nothing') return (await readBody(call, response)).value;
  if (isHtml(response)) throw invalidReplyError(call, response, await htmlText(call, response));
  return (await parseBody(response).catch(() => undefined))?.value;
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

async function htmlText(call: CallParts, response: HttpResponse): Promise<string> {
  return (await loadErrorModule()).describeHtml(response, call.quote);
}

function invalidReplyError(call: CallParts, { status }: HttpResponse, fault: string): CliError {
  return lostReplyError(call, `the response is ${fault}`, status);
}

function typeText(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
