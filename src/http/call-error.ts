import { type CommandLine, fillTemplate, type Hint } from '../contract/command-line.ts';
import type { HttpRequest } from '../contract/exchange.ts';
import type { Input } from '../contract/field.ts';
import { isWriteOperation, type Operation } from '../contract/operation.ts';
import { CliError, type CliErrorOptions, type ErrorKind } from '../errors/cli-error.ts';

export interface CallParts {
  readonly operation: Operation;
  /** The command that shows whether the write was applied. */
  readonly checkCommand?: CommandLine | undefined;
  /** The resource that a 404 is about; undefined if only the path shows it. */
  readonly missing?: MissingResource | undefined;
  readonly listCommand?: CommandLine | undefined;
  readonly request: HttpRequest;
  readonly attempts: number;
  /** The time before the first attempt, as ISO 8601 in UTC. */
  readonly startedAt: string;
  readonly token: string | undefined;
  /** Makes text from the service safe for a message: one line, without secrets. */
  readonly quote: (text: string) => string;
  /** Returns the scopes requested at login; undefined if they are unknown. Called only after a 403. */
  readonly loginScopes: () => readonly string[] | undefined;
}

export function callError(call: CallParts, kind: ErrorKind, message: string, details: CliErrorOptions = {}): CliError {
  const { id } = call.request;
  const operation = `${call.operation.method} ${call.operation.path}`;
  return new CliError(kind, message, { operation, ...(id !== undefined && { requestId: id }), ...details });
}

export function notSentError(call: CallParts, reason: string, hint?: Hint): CliError {
  return callError(call, 'unavailable', reason, { nothing: 'sent', attempts: call.attempts, hint });
}

/** Creates the error of a call without a valid response: `unavailable`, or `outcome_unknown` for a possible write. */
export function lostReplyError(call: CallParts, why: string, status?: number): CliError {
  // An invalid response with a status below 400 may come from another host, so the address may be wrong.
  const responseDetails = status === undefined ? {} : { status, ...(status < 400 && { doubtsAddress: true }) };
  const { attempts } = call;
  if (!isWriteOperation(call.operation)) return callError(call, 'unavailable', why, { ...responseDetails, attempts });
  const { checkCommand, request, startedAt } = call;
  const { path } = request.masked ?? request;
  return callError(call, 'outcome_unknown', `outcome unknown; the change may have been applied: ${why}`, {
    ...responseDetails,
    why,
    hint: checkCommand ?? 'no command can check this; check with the service before you repeat the change',
    extra: { request_sent: true, attempts, started_at: startedAt, method: request.method, path },
    check: checkCommand ?? null,
  });
}

/** Returns the title of a stack that was found by name or for which a call succeeded; undefined for any other stack. */
export type FindStackTitle = (uid: string) => string | undefined;

/** The subject of a 404: `what` is missing (`deployment 999`; undefined if unknown) in `where` (`shop/production`). */
export type MissingResource = { readonly what?: string | undefined; readonly where?: string | undefined };

/** Returns the resource that a 404 is about; undefined if only the path shows it. */
export function findMissing(operation: Operation, input: Input, titleOf: FindStackTitle): MissingResource | undefined {
  if (operation.sends === 'raw') return undefined;
  const [group, stack, account] = targetsIn(operation, input);
  const title = stack && titleOf(stack);
  const groupText = group && `server group ${group}`;
  const titles = [groupText, title ?? (stack && `stack ${stack}`), account && `account ${account}`].filter(Boolean);
  const where = titles.join(' of ') || undefined;
  if (operation.missing !== undefined) return { what: fillTemplate(operation.missing, input), where };
  if (!where) return undefined;
  // `what` is unknown here: a write may name another resource in its body, and a stack with a title exists.
  if (isWriteOperation(operation) || titles[0] === title) return { where };
  return { what: titles[0], where: titles.slice(1).join(' of ') || undefined };
}

export function stackUidIn(operation: Operation, input: Input): string | undefined {
  return targetsIn(operation, input)[1];
}

/** Returns `stack list` for the hint of a 404 if the stack was given by UID and may not exist; undefined otherwise. */
export function stackListCommand(operation: Operation, input: Input, titleOf: FindStackTitle): CommandLine | undefined {
  if (operation.missing !== undefined || operation.sends === 'raw') return undefined;
  const stack = stackUidIn(operation, input);
  return stack !== undefined && titleOf(stack) === undefined ? { path: 'stack list' } : undefined;
}

function targetsIn({ params }: Operation, input: Input): readonly (string | undefined)[] {
  return (['server-group', 'stack', 'account'] as const).map((target) => {
    const name = Object.keys(params).find((key) => params[key].target === target) ?? '';
    return input[name] === undefined ? undefined : String(input[name]);
  });
}
