import type { HttpAnswer } from '../contract/exchange.ts';
import { writes } from '../contract/operation.ts';
import { type Envelope, namesAction, type RawAnswer } from '../contract/reply.ts';
import { isObject, type JsonObject } from '../contract/values/json-object.ts';
import { JsonFault } from '../json/fault.ts';
import type { JsonDocument } from '../json/read.ts';
import { nameAliases } from './aliases.ts';
import { bodyOf } from './body.ts';
import { describeHtml, isHtml, readComplaint } from './problem/complaint.ts';
import { type Call, outcomeUnknown, problemOf } from './problem/outcome.ts';
import { rawAnswer, withAnswer } from './raw.ts';

/** One page of a list, unwrapped, with its pagination when the service sent one. */
export interface RowPage {
  readonly rows: readonly unknown[];
  readonly pagination: JsonObject | undefined;
  /** About what it takes up in memory. */
  readonly bytes: number;
  /** What the service says of the number of rows. */
  readonly count: number | undefined;
}

/**
 * Unwraps a 2xx answer, lenient about the wrapper and about unknown fields, values exactly as sent.
 * Throws rejected for `ok: false`; unavailable for a read, outcome_unknown for a write that cannot be trusted.
 */
export async function readReply(call: Call, answer: HttpAnswer): Promise<unknown> {
  if (call.operation.reply.envelope === 'nothing') return readNothing(call, answer);
  if (call.operation.reply.envelope === 'raw') return readRaw(call, answer);
  const value = unwrap((await readBody(call, answer)).value);
  await refuseNotOk(call, answer, value);
  const action = actionIn(call, value);
  if (action) return action;
  const settled = openers[call.operation.reply.envelope](namedOf(call, value));
  if (settled === undefined) throw outcomeUnknown(call, `the reply is ${describe(value)}`, answer.status);
  demandProof(call, answer, settled);
  nameAliases(call.operation.reply.record?.fields, settled);
  return settled;
}

/** Any write may be answered with an action in place of its documented reply, or of none. */
function actionIn({ operation }: Call, value: unknown): JsonObject | undefined {
  const only = single(value);
  return writes(operation) && !operation.reply.needsProof && namesAction(only) ? only : undefined;
}

/** The rows of one page; a list without wrapper or pagination is one page. */
export async function readRows(call: Call, answer: HttpAnswer): Promise<RowPage> {
  const { value: body, bytes } = await readBody(call, answer);
  const rows = unwrap(body);
  await refuseNotOk(call, answer, rows);
  if (!Array.isArray(rows)) throw outcomeUnknown(call, `the reply is ${describe(rows)} and not a list`, answer.status);
  nameAliases(call.operation.reply.record?.fields, rows);
  const { pagination, count } = isObject(body) ? body : {};
  return {
    rows,
    pagination: isObject(pagination) ? pagination : undefined,
    bytes,
    count: typeof count === 'number' ? count : undefined,
  };
}

/** What each envelope accepts; undefined for a reply that does not fit. */
const openers: Readonly<Record<Envelope, (value: unknown) => unknown>> = {
  one: single,
  bare: single,
  sole: single,
  acknowledged: (value) => (isObject(value) ? value : undefined),
  page: (value) => (Array.isArray(value) ? value : undefined),
  rows: (value) => (Array.isArray(value) ? value : undefined),
  nothing: () => undefined,
  opaque: (value) => value,
  raw: (value) => value,
};

/** Services answer single reads with a list of one, and lists of one with the object itself. */
function single(value: unknown): JsonObject | undefined {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isObject(only) ? only : undefined;
}

/** Of a list of several the one that was asked for; throws not_found where none of them is. */
function namedOf(call: Call, value: unknown): unknown {
  const { named } = call.operation.reply;
  if (!named || !Array.isArray(value) || value.length < 2) return value;
  const word = decodeURIComponent(call.request.path.split('/').at(-1) ?? '');
  const found = value.find((item) => isObject(item) && named.some((field) => item[field] === word));
  if (found !== undefined) return found;
  const message = `none of the ${value.length} that the service lists is "${word}"`;
  throw problemOf(call, ['not_found', message], { ...(call.lister !== undefined && { hint: call.lister }) });
}

function unwrap(body: unknown): unknown {
  return isObject(body) && Object.hasOwn(body, 'response') ? body['response'] : body;
}

async function readBody(call: Call, answer: HttpAnswer): Promise<JsonDocument> {
  // No part was asked for, and nothing shows what is missing.
  if (answer.status === 206) throw outcomeUnknown(call, 'the reply is only a part (206)', answer.status);
  if (answer.text.trim() === '') throw outcomeUnknown(call, `the reply is empty (${answer.status})`, answer.status);
  try {
    return await bodyOf(answer);
  } catch (error) {
    throw outcomeUnknown(call, `the reply is ${unreadable(call, answer, error)} (${answer.status})`, answer.status);
  }
}

function unreadable({ quote }: Call, answer: HttpAnswer, error: unknown): string {
  if (isHtml(answer)) return describeHtml(answer, quote);
  return error instanceof JsonFault ? error.message : 'not valid JSON';
}

async function readNothing(call: Call, answer: HttpAnswer): Promise<unknown> {
  if (isHtml(answer)) throw outcomeUnknown(call, `the reply is ${describeHtml(answer, call.quote)}`, answer.status);
  const body = await bodyOf(answer).catch(() => undefined);
  const value = unwrap(body?.value);
  await refuseNotOk(call, answer, value);
  return actionIn(call, value);
}

/** Whatever comes is what was asked for, but for what no service sends: pages for people, half a document. */
async function readRaw(call: Call, answer: HttpAnswer): Promise<RawAnswer> {
  if (answer.text.trim() !== '') await refuseNotOk(call, answer, unwrap((await readBody(call, answer)).value));
  return rawAnswer(answer);
}

async function refuseNotOk(call: Call, answer: HttpAnswer, value: unknown): Promise<void> {
  if (!isObject(value) || !Object.hasOwn(value, 'ok') || value['ok'] === true) return;
  if (value['ok'] !== false && call.operation.reply.envelope !== 'acknowledged') return;
  const { text } = await readComplaint(answer, call.quote);
  const message = text ? `the service refused the request: ${text}` : 'the service refused the request';
  const problem = problemOf(call, ['rejected', message], { status: answer.status });
  throw call.operation.sends === 'raw' ? await withAnswer(problem, answer) : problem;
}

function demandProof(call: Call, answer: HttpAnswer, value: unknown): void {
  const { proof, needsProof } = call.operation.reply;
  if (!proof || !isObject(value)) return;
  // Services also answer with no more than an acceptance.
  if (value['ok'] === true && !needsProof) return;
  if (proof.some((key) => value[key] !== undefined && value[key] !== null)) return;
  throw outcomeUnknown(call, `the reply has no "${proof.join('" or "')}"`, answer.status);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
