import type { Hint } from '../../contract/command-line.ts';
import type { HttpAnswer } from '../../contract/exchange.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Problem } from '../../problems/problem.ts';
import { trustAuthority } from '../../problems/repairs.ts';
import { withAnswer } from '../raw.ts';
import { retryAfterMs, serviceTimeMs } from '../retry.ts';
import type { TransportFailure } from '../transport/failure.ts';
import { type Complaint, readComplaint } from './complaint.ts';
import { addsTo, missingWords, notFoundSentence } from './missing.ts';
import { type Call, notSent, outcomeUnknown, problemOf, withAttempts } from './outcome.ts';

type Judge = (call: Call, answer: HttpAnswer, complaint: Complaint) => Problem;

/** What an answer other than 2xx means: a Problem with status, operation, request id and the service's own words. */
export async function toProblem(call: Call, answer: HttpAnswer): Promise<Problem> {
  const complaint = await readComplaint(answer, call.quote);
  const problem = judgeOf(answer.status, complaint)(call, answer, complaint);
  return call.operation.sends === 'raw' ? withAnswer(problem, answer) : problem;
}

/** What it means that no complete answer came. */
export function toFailureProblem(call: Call, failure: TransportFailure): Problem {
  if (failure.sent) return outcomeUnknown(call, failure.message, failure.status);
  const hint = repairs[failure.reason];
  return notSent(call, failure.message, hint === undefined ? {} : { hint });
}

/** It distinguishes name, address, proxy and certificate. */
const diagnosis: Hint = { path: 'doctor' };
const repairs: Partial<Record<TransportFailure['reason'], Hint>> = {
  certificate: trustAuthority,
  dns: diagnosis,
  refused: diagnosis,
  connect_timeout: diagnosis,
  tls: diagnosis,
};

function judgeOf(status: number, { code }: Complaint): Judge {
  const own = judges[status];
  if (own) return own;
  if (status < 400) return redirected;
  if (status < 500) return rejected;
  // The service spells "not implemented" and "over the rate limit" as 503 too; both say that nothing was done.
  if (status === 501 || (status === 503 && code === 'not_implemented')) return notImplemented;
  if (status === 503 && code === 'throttled') return usedUp;
  return brokenService;
}

const unauthenticated: Judge = (call, { status }, { text }) =>
  problemOf(call, ['unauthenticated', because(`the service does not accept the token (${status})`, text)], {
    status,
    hint: { path: 'auth login' },
  });

const forbidden: Judge = (call, { status }, { text }) => {
  const { scope } = call.operation;
  const isNamed = scope !== 'none' && scope !== 'unknown';
  const asked = isNamed ? call.loginScopes() : undefined;
  const login = asked ? `, login asked for "${asked.join('", "')}"` : '';
  const needs = isNamed ? `: the command needs the scope "${scope}"${login}` : '';
  const scopes = [...new Set([...(asked ?? []), scope])];
  return problemOf(call, ['forbidden', because(`the service does not allow this (${status})${needs}`, text)], {
    status,
    ...(isNamed && { hint: { path: 'auth login', flags: ['--scope', scopes.join(',')] } }),
  });
};

const notFound: Judge = (call, { status }, { text, isForeign }) =>
  problemOf(call, ['not_found', notFoundMessage(call, text)], {
    status,
    ...(call.lister !== undefined && { hint: call.lister }),
    // A collection is there wherever the service is.
    ...((isForeign || !namesId(call.operation)) && { doubtsAddress: true }),
  });

const rejected: Judge = (call, { status }, { text }) =>
  problemOf(call, ['rejected', because(`the service refused the request (${status})`, text)], { status });

const longestShownSeconds = 7 * 24 * 3600;

const throttled: Judge = (call, answer, { text }) => {
  const seconds = Math.ceil((retryAfterMs(answer, Date.parse(call.startedAt)) ?? 0) / 1000);
  const isShort = seconds <= longestShownSeconds;
  const delay = isShort ? `${seconds} s` : 'for more than a week';
  const wait = seconds > 0 ? ` and asks to wait ${delay}` : '';
  const message = because(`the service limits the rate of requests (${answer.status})${wait}`, text);
  return problemOf(call, ['unavailable', withAttempts(message, call.attempts)], {
    status: answer.status,
    ...(isShort && { hint: seconds > 0 ? `repeat the command in ${seconds} s` : 'repeat the command in a minute' }),
  });
};

const hourMs = 3_600_000;

/** Over 3,000 requests an hour nothing is answered until the next full hour. */
const usedUp: Judge = (call, answer, { text }) => {
  const nowMs = serviceTimeMs(answer, Date.parse(call.startedAt));
  const until = `${new Date((Math.floor(nowMs / hourMs) + 1) * hourMs).toISOString().slice(11, 16)} UTC`;
  const message = `the limit of 3,000 requests an hour is reached until ${until} (${answer.status})`;
  const hint = `repeat the command after ${until}`;
  return problemOf(call, ['unavailable', because(message, text)], { status: answer.status, hint });
};

const notImplemented: Judge = (call, { status }, { text }) =>
  problemOf(call, ['unavailable', because(`the service does not do this (${status})`, text)], { status });

const redirected: Judge = (call, { status, headers }) => {
  const there = headers['location'] ?? '';
  const where = URL.canParse(there) ? call.quote(new URL(there).origin) : 'another path';
  return outcomeUnknown(call, `the service points to ${where} (${status}), and redirects are not followed`, status);
};

const brokenService: Judge = (call, { status }, { text }) =>
  outcomeUnknown(
    call,
    because(status === 408 ? `the service ran out of time (${status})` : `the service failed (${status})`, text),
    status,
  );

const judges: Readonly<Record<number, Judge>> = {
  401: unauthenticated,
  403: forbidden,
  404: notFound,
  408: brokenService,
  429: throttled,
};

function notFoundMessage({ operation, request, missing }: Call, text: string): string {
  const path = request.shownPath ?? request.path;
  if (operation.outside) {
    const offer = `this service does not offer "${operation.method} ${operation.path}"`;
    const sought = missing ? missingWords(missing) : path !== operation.path && path;
    return because(sought ? `${offer}, or has no ${sought} (404)` : `${offer} (404)`, text);
  }
  if (!missing) return because(`not found: ${path} (404)`, text);
  const sentence = notFoundSentence({ ...missing, what: missing.what ?? collectionOf(operation) });
  return addsTo(sentence, text) ? because(sentence, text) : sentence;
}

/** `application_variants` in words. */
function collectionOf({ path }: Operation): string {
  return path.slice(path.lastIndexOf('/') + 1).replaceAll('_', ' ');
}

function namesId({ missing, lister }: Operation): boolean {
  return missing !== undefined || lister !== undefined;
}

function because(message: string, text: string): string {
  return text ? `${message}: ${text}` : message;
}
