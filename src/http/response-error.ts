import type { Hint } from '../contract/command-line.ts';
import type { HttpResponse, TransportFailure } from '../contract/exchange.ts';
import type { Operation } from '../contract/operation.ts';
import { isObject, type JsonObject } from '../contract/values/json.ts';
import { type CliError, trustAuthorityHint } from '../errors/cli-error.ts';
import { isHtml, parseBody, withResponse } from './body.ts';
import { type CallParts, callError, lostReplyError, type Missing, notSentError } from './call-error.ts';
import { hourlyLimit } from './rate-limit.ts';
import { retryAfterMs } from './retry.ts';

type ToError = (call: CallParts, response: HttpResponse, complaint: Complaint) => CliError;

/** Returns the error for a status other than 2xx, with status, operation, request id and the service's own words. */
export async function responseError(call: CallParts, response: HttpResponse): Promise<CliError> {
  const complaint = await readComplaint(response, call.quote);
  const error = handlerFor(response.status, complaint)(call, response, complaint);
  return call.operation.sends === 'raw' ? withResponse(error, response) : error;
}

/** Returns the error for a request without a complete response. */
export function transportError(call: CallParts, failure: TransportFailure): CliError {
  if (failure.sent) return lostReplyError(call, failure.message, failure.status);
  return notSentError(call, failure.message, repairs[failure.reason]);
}

/** `doctor` checks name, address, proxy and certificate one by one. */
const diagnosis: Hint = { path: 'doctor' };
const repairs: Partial<Record<TransportFailure['reason'], Hint>> = {
  certificate: trustAuthorityHint,
  dns: diagnosis,
  refused: diagnosis,
  connect_timeout: diagnosis,
  tls: diagnosis,
  proxy: diagnosis,
};

function handlerFor(status: number, { code }: Complaint): ToError {
  const own = handlers[status];
  if (own) return own;
  if (status < 400) return redirected;
  if (status < 500) return rejected;
  // The service also sends 503 for "not implemented" and "over the rate limit"; it did nothing in both cases.
  if (status === 501 || (status === 503 && code === 'not_implemented')) return notImplemented;
  if (status === 503 && code === 'throttled') return overHourlyLimit;
  return brokenService;
}

/** Words for the status, followed by the service's own words. */
const refusal =
  (kind: CliError['kind'], words: string, hint?: Hint): ToError =>
  (call, { status }, { text }) =>
    callError(call, [kind, because(`${words} (${status})`, text)], { status, complaint: text, ...(hint && { hint }) });

const unauthenticated = refusal('unauthenticated', 'the service rejected the token', { path: 'auth login' });
const rejected = refusal('rejected', 'the service refused the request');
const notImplemented = refusal('unavailable', 'the service does not support this operation');

const forbidden: ToError = (call, { status }, { text, code }) => {
  const { scope } = call.operation;
  // A section that a sandbox copy lacks needs no scope.
  const isNamed = scope !== 'none' && scope !== 'unknown' && code !== 'not_in_copy';
  const requested = isNamed ? call.loginScopes() : undefined;
  const login = requested ? ` (login requested "${requested.join('", "')}")` : '';
  // The service's text names the missing scope already.
  const isSaid = isNamed && /\bscope\b/i.test(text) && text.includes(scope);
  const needs = isSaid ? `: the token has no ${scope} scope` : `: the command needs the ${scope} scope`;
  const scopes = [...new Set([...(requested ?? []), scope])];
  const message = `access denied (${status})${isNamed ? `${needs}${login}` : ''}`;
  return callError(call, ['forbidden', isSaid ? message : because(message, text)], {
    status,
    ...(isNamed && { hint: { path: 'auth login', flags: ['--scope', scopes.join(',')] } }),
  });
};

const notFound: ToError = (call, { status }, { text, isForeign }) => {
  const namesId = call.operation.missing !== undefined || call.operation.lister !== undefined;
  return callError(call, ['not_found', notFoundText(call, text)], {
    status,
    ...(call.lister !== undefined && { hint: call.lister }),
    // Every service has these collections, so a 404 suggests a wrong address.
    ...((isForeign || !namesId) && { doubtsAddress: true }),
  });
};

const longestShownSeconds = 7 * 24 * 3600;

const throttled: ToError = (call, response, { text }) => {
  const seconds = Math.ceil((retryAfterMs(response, Date.parse(call.startedAt)) ?? 0) / 1000);
  const isShort = seconds <= longestShownSeconds;
  const delay = isShort ? `${seconds} s` : 'more than a week';
  const wait = seconds > 0 ? `; the service asks to wait ${delay}` : '';
  const message = because(`rate limit reached (${response.status})${wait}`, text);
  return callError(call, ['unavailable', message], {
    attempts: call.attempts,
    status: response.status,
    ...(isShort && { hint: seconds > 0 ? `retry in ${seconds} s` : 'retry in a minute' }),
  });
};

const overHourlyLimit: ToError = (call, response) => {
  const { why, until } = hourlyLimit(response, Date.parse(call.startedAt));
  return callError(call, ['unavailable', why], { status: response.status, hint: `retry after ${until}` });
};

const redirected: ToError = (call, { status, headers }) => {
  const there = headers['location'] ?? '';
  const where = URL.canParse(there) ? call.quote(new URL(there).origin) : 'another path';
  return lostReplyError(call, `the service redirects to ${where} (${status}), and redirects are not followed`, status);
};

const brokenService: ToError = (call, { status }, { text }) => {
  const words = status === 408 ? 'the service timed out' : 'the service failed';
  return lostReplyError(call, because(`${words} (${status})`, text), status);
};

const handlers: Readonly<Record<number, ToError>> = {
  401: unauthenticated,
  403: forbidden,
  404: notFound,
  408: brokenService,
  429: throttled,
};

function notFoundText({ operation, request, missing }: CallParts, text: string): string {
  const { path } = request.masked ?? request;
  if (operation.outside) {
    if (missing?.what) {
      // Some services list a resource but do not show a single one.
      const shown = `${operation.path.endsWith('/:id') ? 'single ' : ''}${collectionOf(operation)}`;
      return withReason(`${notFoundMessage(missing)}, or this service does not show ${shown} (404)`, text);
    }
    const ofPath = missing || path === operation.path ? '' : `${path} not found, or `;
    return withReason(`${ofPath}this service does not offer "${operation.method} ${operation.path}" (404)`, text);
  }
  if (!missing) return because(`not found: ${path} (404)`, text);
  return withReason(notFoundMessage({ ...missing, what: missing.what ?? collectionOf(operation) }), text);
}

function withReason(message: string, text: string): string {
  return tellsMoreThan(message, text) ? because(message, text) : message;
}

function collectionOf({ path }: Operation): string {
  // `application_variants` becomes `application variants`.
  const last = path.split('/').findLast((part) => !part.startsWith(':'));
  return (last ?? path).replaceAll('_', ' ');
}

function because(message: string, text: string): string {
  return text ? `${message}: ${text}` : message;
}

type Complaint = Awaited<ReturnType<typeof readComplaint>>;

/**
 * Reads an error body in every known form; never throws. `code` is such as `not_implemented`; `text` is one safe line;
 * `isForeign` is true for an HTML page, plain text, or JSON that the service does not send.
 */
export async function readComplaint(response: HttpResponse, quote: CallParts['quote']) {
  const body = await parseBody(response).then(
    ({ value }) => value,
    () => undefined,
  );
  const complaint = isObject(body) ? fromObject(body) : { code: '', text: plainText(response, body) };
  return { code: complaint.code, text: quote(complaint.text), isForeign: !isObject(body) || complaint.text === '' };
}

/** `an HTML page titled "502 Bad Gateway"`. */
export function describeHtml(response: HttpResponse, quote: CallParts['quote']): string {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(response.text.slice(0, 10_000))?.[1]?.trim();
  return title ? `an HTML page titled "${quote(title)}"` : 'an HTML page';
}

function fromObject(body: JsonObject) {
  const inner = isObject(body['response']) ? body['response'] : {};
  const code = messageText(body['error']);
  const candidates = [body['details'], body['error_description'], body['message'], inner['message'], code];
  return { code, text: candidates.map(messageText).find((text) => text !== '') ?? '' };
}

function messageText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return Array.isArray(value) ? value.map(messageText).filter(Boolean).join('; ') : '';
}

function plainText(response: HttpResponse, body: unknown): string {
  if (isHtml(response)) return describeHtml(response, (title) => title);
  return typeof body === 'string' ? body : response.text;
}

function notFoundMessage({ what, where }: Missing): string {
  return [what, 'not found', where && `in ${where}`].filter(Boolean).join(' ');
}

const fillerText =
  'a an the is was be does do no not there this with for of in id error found find could exist record resource';
const fillers = new Set(fillerText.split(' '));

function tellsMoreThan(sentence: string, text: string): boolean {
  const known = wordsOf(sentence);
  return wordsOf(text).some((word) => !fillers.has(word) && !known.includes(word));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
