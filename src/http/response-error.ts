import type { Hint } from '../contract/command-line.ts';
import type { HttpResponse, TransportFailure } from '../contract/exchange.ts';
import type { Operation } from '../contract/operation.ts';
import { asObject, isObject, type JsonObject } from '../contract/values/json.ts';
import { type CliError, trustAuthorityHint } from '../errors/cli-error.ts';
import { errorWithResponse, isHtml, parseBody } from './body.ts';
import { type CallParts, callError, lostReplyError, type MissingResource, notSentError } from './call-error.ts';
import { hourlyLimit } from './rate-limit.ts';
import { retryAfterMs } from './retry.ts';

type ErrorMaker = (call: CallParts, response: HttpResponse, complaint: Complaint) => CliError;

/** Returns the error for a status other than 2xx, with status, operation, request ID and the text from the service. */
export async function responseError(call: CallParts, response: HttpResponse): Promise<CliError> {
  const complaint = await readComplaint(response, call.quote);
  const error = errorForStatus(call, response, complaint);
  return call.operation.sends === 'raw' ? errorWithResponse(error, response) : error;
}

export function transportError(call: CallParts, failure: TransportFailure): CliError {
  if (failure.sent) return lostReplyError(call, failure.message, failure.status);
  return notSentError(call, failure.message, hintAfterFailure(failure));
}

function hintAfterFailure({ reason }: TransportFailure): Hint | undefined {
  if (reason === 'certificate') return trustAuthorityHint;
  // `doctor` checks name, address, proxy and certificate one by one.
  const doctorReasons: readonly (typeof reason)[] = ['dns', 'refused', 'connect_timeout', 'tls', 'proxy'];
  return doctorReasons.includes(reason) ? { path: 'doctor' } : undefined;
}

const errorForStatus: ErrorMaker = (call, response, complaint) => {
  const { status } = response;
  const { code, text } = complaint;
  const refusalError = (kind: CliError['kind'], messageStart: string, hint?: Hint) =>
    callError(call, kind, appendText(`${messageStart} (${status})`, text), { status, serviceMessage: text, hint });
  if (status < 400) return redirectedError(call, response, complaint);
  if (status === 401) return refusalError('unauthenticated', 'the service rejected the token', { path: 'auth login' });
  if (status === 403) return forbiddenError(call, response, complaint);
  if (status === 404) return notFoundError(call, response, complaint);
  if (status === 429) return throttledError(call, response, complaint);
  if (status < 500 && status !== 408) return refusalError('rejected', 'the service refused the request');
  // The service sends 503 also for "not implemented" and "over the rate limit". Both errors say that nothing was done.
  if (status === 501 || (status === 503 && code === 'not_implemented'))
    return refusalError('unavailable', 'the service does not support this operation');
  if (status === 503 && code === 'throttled') return hourlyLimitError(call, response, complaint);
  return serviceFailureError(call, response, complaint);
};

const forbiddenError: ErrorMaker = (call, { status }, { text, code }) => {
  const { scope } = call.operation;
  // `not_in_copy` means that a sandbox copy lacks this section, so a scope would not help.
  if (scope === 'none' || scope === 'unknown' || code === 'not_in_copy')
    return callError(call, 'forbidden', appendText(`access denied (${status})`, text), { status });
  const requestedScopes = call.loginScopes();
  const loginText = requestedScopes ? ` (login requested "${requestedScopes.join('", "')}")` : '';
  const scopes = [...new Set([...(requestedScopes ?? []), scope])];
  const details = { status, hint: { path: 'auth login', flags: ['--scope', scopes.join(',')] } };
  // A text from the service that names the missing scope is left out of the message, which names that scope already.
  const namesScope = /\bscope\b/i.test(text) && text.includes(scope);
  const needText = namesScope ? `the token has no ${scope} scope` : `the command needs the ${scope} scope`;
  const message = `access denied (${status}): ${needText}${loginText}`;
  return callError(call, 'forbidden', namesScope ? message : appendText(message, text), details);
};

const notFoundError: ErrorMaker = (call, { status }, { text, isForeign }) => {
  const namesId = call.operation.missing !== undefined || call.operation.listCommand !== undefined;
  return callError(call, 'not_found', notFoundText(call, text), {
    status,
    hint: call.listCommand,
    // Every service offers operations that name no ID, so a 404 for such an operation suggests a wrong address.
    ...((isForeign || !namesId) && { doubtsAddress: true }),
  });
};

const maxShownSeconds = 7 * 24 * 3600;

const throttledError: ErrorMaker = (call, response, { text }) => {
  const seconds = Math.ceil((retryAfterMs(response, Date.parse(call.startedAt)) ?? 0) / 1000);
  const isShortDelay = seconds <= maxShownSeconds;
  const delayText = isShortDelay ? `${seconds} s` : 'more than a week';
  const waitText = seconds > 0 ? `; the service asks to wait ${delayText}` : '';
  const message = appendText(`rate limit reached (${response.status})${waitText}`, text);
  return callError(call, 'unavailable', message, {
    attempts: call.attempts,
    status: response.status,
    ...(isShortDelay && { hint: seconds > 0 ? `retry in ${seconds} s` : 'retry in a minute' }),
  });
};

const hourlyLimitError: ErrorMaker = (call, response) => {
  const { why, until } = hourlyLimit(response, Date.parse(call.startedAt));
  return callError(call, 'unavailable', why, { status: response.status, hint: `retry after ${until}` });
};

const redirectedError: ErrorMaker = (call, { status, headers }) => {
  const location = headers['location'] ?? '';
  const redirectTarget = URL.canParse(location) ? call.quote(new URL(location).origin) : 'another path';
  const why = `the service redirects to ${redirectTarget} (${status}), and redirects are not followed`;
  return lostReplyError(call, why, status);
};

const serviceFailureError: ErrorMaker = (call, { status }, { text }) => {
  const messageStart = status === 408 ? 'the service timed out' : 'the service failed';
  return lostReplyError(call, appendText(`${messageStart} (${status})`, text), status);
};

function notFoundText({ operation, request, missing }: CallParts, text: string): string {
  const { path } = request.masked ?? request;
  if (!operation.outside && !missing) return appendText(`not found: ${path} (404)`, text);
  const message = operation.outside
    ? notOfferedText(operation, missing, path)
    : missingResourceText({ ...missing, what: missing?.what ?? collectionNameOf(operation) });
  return addsNewWords(message, text) ? appendText(message, text) : message;
}

function notOfferedText(operation: Operation, missing: MissingResource | undefined, path: string): string {
  if (missing?.what) {
    // Some services offer the list of a resource, but not the operation for a single item.
    const resourceText = `${operation.path.endsWith('/:id') ? 'single ' : ''}${collectionNameOf(operation)}`;
    return `${missingResourceText(missing)}, or this service does not show ${resourceText} (404)`;
  }
  const pathNotFoundText = missing || path === operation.path ? '' : `${path} not found, or `;
  return `${pathNotFoundText}this service does not offer "${operation.method} ${operation.path}" (404)`;
}

function collectionNameOf({ path }: Operation): string {
  // `application_variants` becomes `application variants`.
  const lastPart = path.split('/').findLast((part) => !part.startsWith(':'));
  return (lastPart ?? path).replaceAll('_', ' ');
}

function appendText(message: string, text: string): string {
  return text ? `${message}: ${text}` : message;
}

type Complaint = Awaited<ReturnType<typeof readComplaint>>;

/**
 * Reads the message of an error body. Never throws. `code` is a word such as `not_implemented` or empty; `text` is one
 * safe line; `isForeign` is true for a body that is not from the service: HTML, plain text, or JSON without a message.
 */
export async function readComplaint(response: HttpResponse, quote: CallParts['quote']) {
  const { value: body } = await parseBody(response).catch(() => ({ value: undefined }));
  const complaint = isObject(body) ? complaintFromObject(body) : { code: '', text: plainText(response, body) };
  return { code: complaint.code, text: quote(complaint.text), isForeign: !isObject(body) || complaint.text === '' };
}

/** Returns `an HTML page titled "502 Bad Gateway"`, or `an HTML page` without a title. */
export function describeHtml(response: HttpResponse, quote: CallParts['quote']): string {
  const title = /<title[^<>]*>([^<]*)<\/title>/i.exec(response.text.slice(0, 10_000))?.[1]?.trim();
  return title ? `an HTML page titled "${quote(title)}"` : 'an HTML page';
}

function complaintFromObject(body: JsonObject) {
  const innerObject = asObject(body['response']);
  const code = messageText(body['error']);
  const candidates = [body['details'], body['error_description'], body['message'], innerObject['message'], code];
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

function missingResourceText({ what, where }: MissingResource): string {
  return [what, 'not found', where && `in ${where}`].filter(Boolean).join(' ');
}

const fillerText =
  'a an the is was be does do no not there this with for of in id error found find could exist record resource';
const fillerWords = new Set(fillerText.split(' '));

function addsNewWords(sentence: string, text: string): boolean {
  const sentenceWords = wordsOf(sentence);
  return wordsOf(text).some((word) => !fillerWords.has(word) && !sentenceWords.includes(word));
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
