import type { CommandLine } from '../../contract/command-line.ts';
import type { HttpRequest } from '../../contract/exchange.ts';
import { type Operation, writes } from '../../contract/operation.ts';
import { Problem, type ProblemDetails } from '../../problems/problem.ts';
import type { Missing } from './missing.ts';

/** What is known about one call by the time its answer, or its failure, is judged. */
export interface Call {
  readonly operation: Operation;
  /** The command that shows whether the write took effect. */
  readonly check?: CommandLine | undefined;
  /** What a 404 is about, where it is known from more than the path. */
  readonly missing?: Missing | undefined;
  /** The command that lists what there is, for a 404. */
  readonly lister?: CommandLine | undefined;
  /** As the service's document names it, such as `PUT /stacks/:stack_id/application_variants/:id`. */
  readonly name: string;
  readonly request: HttpRequest;
  readonly attempts: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly token: string | undefined;
  /** Text of the service for a message: one line, without secrets. */
  readonly quote: (text: string) => string;
  /** Scopes asked for at login, when known; looked up only when the service refuses. */
  readonly loginScopes: () => readonly string[] | undefined;
}

/** A problem that names the operation and the request id. */
export function problemOf(
  call: Call,
  [kind, message]: readonly [Problem['kind'], string],
  details: ProblemDetails = {},
): Problem {
  const { id } = call.request;
  return new Problem(kind, message, { operation: call.name, ...(id !== undefined && { requestId: id }), ...details });
}

/** The request never left; what it belongs to may well have been sent. */
export function notSent(call: Call, why: string, details: ProblemDetails = {}): Problem {
  const said = (words: string) => withAttempts(words, call.attempts);
  return problemOf(call, ['unavailable', said(`${why}; nothing was sent`)], { why: said(why), ...details });
}

/** No trustworthy answer: a read is simply unavailable, a write that was sent may have taken effect. */
export function outcomeUnknown(call: Call, why: string, status?: number): Problem {
  // An answer in another form than the service's may come from somebody else.
  const answered = status === undefined ? {} : { status, ...(status < 400 && { doubtsAddress: true }) };
  if (!writes(call.operation)) return problemOf(call, ['unavailable', withAttempts(why, call.attempts)], answered);
  const { check, request, attempts, startedAt } = call;
  return problemOf(call, ['outcome_unknown', `the change may have taken effect: ${why}`], {
    ...answered,
    hint: check ?? 'nothing shows whether it did; ask the service before you repeat it',
    facts: {
      request_sent: true,
      attempts,
      started_at: startedAt,
      method: request.method,
      path: request.shownPath ?? request.path,
    },
    check: check ?? null,
  });
}

/** `(4 attempts)` behind a message when there was more than one. */
export function withAttempts(message: string, attempts: number): string {
  return attempts > 1 ? `${message} (${attempts} attempts)` : message;
}
