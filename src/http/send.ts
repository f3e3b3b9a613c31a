import type { Clock } from '../contract/command.ts';
import { type HttpRequest, type HttpResponse, type Transport, TransportFailure } from '../contract/exchange.ts';
import type { Redactor } from '../contract/host.ts';
import { isWriteOperation } from '../contract/operation.ts';
import { CliError } from '../errors/cli-error.ts';
import { parseBody } from './body.ts';
import { type CallParts, callError, lostReplyError, notSentError } from './call-error.ts';
import { hourlyLimit, limitHeaderTexts, type RequestQueue, readLimitNote } from './rate-limit.ts';
import { newRequestId } from './request-id.ts';
import { delayAfterCut, delayAfterFailure, delayAfterResponse, type RetryState, startTimeLimit } from './retry.ts';

export interface SendOptions {
  /** Time limit of one request, including its retries and the reading of its response. */
  readonly budgetMs: number;
  readonly maxRetries: number;
  readonly isPolled?: boolean;
  /** The queue that all requests of the run share. */
  readonly queue: RequestQueue;
  readonly signal: AbortSignal;
  /** Receives the lines of `--verbose`, without bodies, queries and secrets. */
  readonly trace: (line: string) => void;
  readonly warn: (line: string) => void;
  /** Registers the secrets of every request, and cleans text from the service for messages. */
  readonly redactor: Redactor;
  readonly clock: Pick<Clock, 'now' | 'elapsed'> & {
    sleep(ms: number, signal: AbortSignal): Promise<void>;
    /** Returns a number that is at least 0 and less than 1. */
    random(): number;
  };
}

export interface SendContext extends SendOptions {
  readonly sharedCallParts: Omit<CallParts, 'request' | 'attempts' | 'startedAt' | 'token'>;
  /** Returns the token for the next attempt; undefined if none is needed. `refusedToken` is a token that got a 401. */
  readonly token: (refusedToken?: string) => Promise<string | undefined>;
  readonly transport: Transport;
  /** An object that all calls of one run share. `hasWritten` is true once the service has accepted a write. */
  readonly runState: { hasWritten: boolean };
}

export type AnsweredCall = { readonly call: CallParts; readonly response: HttpResponse };

type Attempt = AnsweredCall | { readonly call: CallParts; readonly failure: TransportFailure };

/** Sends one request and retries it where that is safe and time allows. Throws a CliError for any status but 2xx. */
export async function sendWithRetries(context: SendContext, request: HttpRequest): Promise<AnsweredCall> {
  const { clock, budgetMs, queue, trace } = context;
  const startedAt = clock.now().toISOString();
  let deadlineMs = clock.elapsed() + budgetMs;
  let wasTokenRefused = false;
  for (let attempts = 1; ; attempts += 1) {
    const token = await context.token();
    const sentRequest = { ...request, id: newRequestId() };
    const call: CallParts = { ...context.sharedCallParts, request: sentRequest, attempts, startedAt, token };
    const queuedAtMs = clock.elapsed();
    const attempt = await queue.run(() => {
      // The wait in our own queue does not count, so the deadline is moved by it.
      deadlineMs += clock.elapsed() - queuedAtMs;
      return tryOnce(context, call, deadlineMs);
    });
    const isTokenRefused = 'response' in attempt && attempt.response.status === 401;
    // A request refused with 401 was not carried out, so even a write is retried once with another token.
    const hasNewToken = isTokenRefused && !wasTokenRefused && (await context.token(token)) !== token;
    const delayMs = hasNewToken ? 0 : await retryDelayMs(context, attempt, deadlineMs);
    wasTokenRefused ||= isTokenRefused;
    if (delayMs === undefined) return resultOfAttempt(context, attempt);
    const reason = 'failure' in attempt ? attempt.failure.message : `status ${attempt.response.status}`;
    trace(`* retrying in ${Math.round(delayMs)} ms: ${reason}`);
    await pause(context, call, delayMs);
  }
}

async function tryOnce(context: SendContext, call: CallParts, deadlineMs: number): Promise<Attempt> {
  const { clock, signal, trace, queue, transport, runState } = context;
  if (signal.aborted) throw interruptedError(call, false, runState);
  const { method, id, masked = call.request } = call.request;
  const startMs = clock.elapsed();
  const traceResult = (result: string, ...details: readonly string[]): void => {
    const timeText = `${Math.round(clock.elapsed() - startMs)} ms`;
    trace([`* ${method} ${masked.path} -> ${result}`, timeText, ...details].join(', '));
  };
  const timeLimit = startTimeLimit(signal, Math.max(1, Math.ceil(deadlineMs - startMs)));
  try {
    const response = await transport(call.request, call.token, timeLimit.signal);
    queue.noteLimit(readLimitNote(response, clock.now().getTime()));
    const sizeText = `${Buffer.byteLength(response.text)} bytes`;
    traceResult(String(response.status), sizeText, `request ${id}`, ...limitHeaderTexts(response));
    return { call, response };
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    const { reason, sent } = error;
    traceResult(`no response (${reason}, ${sent ? 'sent' : 'not sent'})`, `request ${id}`);
    return { call, failure: error };
  } finally {
    timeLimit.clear();
  }
}

async function retryDelayMs(context: SendContext, attempt: Attempt, deadlineMs: number) {
  const { clock, maxRetries, isPolled = false, queue, redactor } = context;
  const retryState: RetryState = {
    writes: isWriteOperation(attempt.call.operation),
    attempts: attempt.call.attempts,
    maxRetries,
    isPolled,
    remainingMs: deadlineMs - clock.elapsed(),
    nowMs: clock.now().getTime(),
    random: clock.random,
  };
  if ('failure' in attempt) return delayAfterFailure(attempt.failure, retryState);
  const { response } = attempt;
  if (isOk(response)) return (await isCutOff(response)) ? delayAfterCut(retryState) : undefined;
  if (response.status === 503) {
    const { readComplaint } = await import('./response-error.ts');
    const { code } = await readComplaint(response, redactor.quote);
    // A retry cannot succeed: an operation stays unsupported, and a used-up limit lasts until the next full hour.
    if (code === 'throttled') queue.noteLimit({ refusal: hourlyLimit(response, retryState.nowMs) });
    if (code === 'not_implemented' || code === 'throttled') return undefined;
  }
  return delayAfterResponse(response, retryState);
}

async function resultOfAttempt({ signal, budgetMs, warn, runState }: SendContext, attempt: Attempt) {
  const { call } = attempt;
  if ('failure' in attempt) {
    if (attempt.failure.reason !== 'aborted')
      throw (await import('./response-error.ts')).transportError(call, attempt.failure);
    if (signal.aborted) throw interruptedError(call, attempt.failure.sent, runState);
    const why = `no response within the timeout of ${budgetMs / 1000} s`;
    throw attempt.failure.sent ? lostReplyError(call, why) : notSentError(call, why);
  }
  const { response } = attempt;
  const warning = response.headers['x-cloud66-warning'];
  if (warning) warn(call.quote(warning));
  if (!isOk(response)) throw await (await import('./response-error.ts')).responseError(call, response);
  if (isWriteOperation(call.operation)) runState.hasWritten = true;
  return attempt;
}

function isOk({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

async function isCutOff(response: HttpResponse): Promise<boolean> {
  const { headers, text } = response;
  // With a length or chunks, the transport checks completeness. Otherwise only the JSON shows it.
  if ('content-length' in headers || 'transfer-encoding' in headers || text === '') return false;
  const document = await parseBody(response).catch(() => undefined);
  return document === undefined;
}

async function pause({ clock, signal, runState }: SendContext, call: CallParts, delayMs: number): Promise<void> {
  await clock.sleep(delayMs, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted) throw interruptedError(call, false, runState);
}

function interruptedError(call: CallParts, wasSent: boolean, { hasWritten }: SendContext['runState']): CliError {
  if (!wasSent || !isWriteOperation(call.operation)) {
    return callError(call, 'interrupted', 'interrupted', { nothing: hasWritten ? undefined : 'changed' });
  }
  const { message, details } = lostReplyError(call, 'interrupted before the response came');
  return new CliError('interrupted', message, details);
}
