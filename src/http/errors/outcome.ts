import type { CommandLine, Hint } from '../../contract/command-line.ts';
import type { HttpRequest } from '../../contract/exchange.ts';
import { type Operation, writes } from '../../contract/operation.ts';
import { CliError, type CliErrorOptions } from '../../errors/cli-error.ts';
import type { Missing } from './not-found.ts';

/** Everything about one call that its result or its error message needs. */
export interface JudgedCall {
  readonly operation: Operation;
  /** The command that shows whether the write was applied. */
  readonly check?: CommandLine | undefined;
  /** What a 404 is about, where it is known from more than the path. */
  readonly missing?: Missing | undefined;
  /** The command that lists what there is, for a 404. */
  readonly lister?: CommandLine | undefined;
  readonly request: HttpRequest;
  readonly attempts: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly token: string | undefined;
  /** Text of the service for a message: one line, without secrets. */
  readonly quote: (text: string) => string;
  /** Scopes requested at login, when known; read only after a 403. */
  readonly loginScopes: () => readonly string[] | undefined;
}

/** A problem that names the operation and the request id. */
export function problemOf(
  call: JudgedCall,
  [kind, message]: readonly [CliError['kind'], string],
  details: CliErrorOptions = {},
): CliError {
  const { id } = call.request;
  const operation = `${call.operation.method} ${call.operation.path}`;
  return new CliError(kind, message, { operation, ...(id !== undefined && { requestId: id }), ...details });
}

export function notSent(call: JudgedCall, why: string, hint?: Hint): CliError {
  return problemOf(call, ['unavailable', why], { nothing: 'sent', attempts: call.attempts, hint });
}

/** No valid response: a read is unavailable; a write was sent and may have been applied. */
export function outcomeUnknown(call: JudgedCall, why: string, status?: number): CliError {
  // A response in another form may come from another host than the service.
  const seen = status === undefined ? {} : { status, ...(status < 400 && { doubtsAddress: true }) };
  const { attempts } = call;
  if (!writes(call.operation)) return problemOf(call, ['unavailable', why], { ...seen, attempts });
  const { check, request, startedAt } = call;
  return problemOf(call, ['outcome_unknown', `outcome unknown; the change may have been applied: ${why}`], {
    ...seen,
    why,
    hint: check ?? 'no command can check this; check with the service before you repeat the change',
    extra: {
      request_sent: true,
      attempts,
      started_at: startedAt,
      method: request.method,
      path: (request.shown ?? request).path,
    },
    check: check ?? null,
  });
}
