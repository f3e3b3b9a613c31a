import type { Run } from '../cli/app.ts';
import { outcomeCheckCommand } from '../contract/command-line.ts';
import type { Input } from '../contract/field.ts';
import type { Observer, Read, Watch } from '../contract/observe.ts';
import type { Operation } from '../contract/operation.ts';
import type { RawResponse } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';
import { CliError, type ErrorKind, exitCodeOf, whyText } from '../errors/cli-error.ts';
import { prepareRequest } from '../http/api.ts';
import { actionOfOperation, isSuccessful } from '../resources/action.ts';
import type { AnswerOutcome, EndOutcome, RecordedAnswer, RecordedEnd, SentChange } from './journal/event.ts';
import type { Journal } from './journal/journal.ts';

export interface ChangeParts {
  readonly call: Read;
  /** Sends a read with a short timeout, because checks are repeated. */
  readonly read: Read;
  readonly stackName: (uid: string) => string;
  readonly journal: () => Promise<Journal>;
  /** Returns the service and the account of the changes. The sandbox has no address. */
  readonly origin: () => Pick<SentChange, 'profile' | 'address' | 'account'>;
}

export interface ActiveWrite {
  readonly parts: ChangeParts;
  readonly run: Run;
  readonly operation: Operation;
  readonly input: Input;
  /** True if the change is watched to its end. */
  readonly wait: boolean;
  readonly observer: Observer | undefined;
}

export async function sentChangeOf({ parts, run, operation, input }: ActiveWrite): Promise<SentChange> {
  const { method, path } = operation;
  const { redactor } = run.app;
  const request = prepareRequest(operation, input, { redactor });
  const freeSegments = operation.sends === 'raw' ? await freeSegmentsOf(request.path, operation) : [];
  const maskedPath = maskSegments(freeSegments, (request.masked ?? request).path);
  const check = outcomeCheckCommand(operation, input);
  const stack = input['stack_id'];
  return {
    ...parts.origin(),
    ...(typeof stack === 'string' && { stack, stack_name: redactor.redact(parts.stackName(stack)) }),
    command: run.argvForJournal().map((argument) => maskSegments(freeSegments, redactor.redact(argument))),
    operation: `${method} ${operation.sends === 'raw' ? maskedPath : path}`,
    method,
    path: maskedPath,
    ...(check !== undefined && freeSegments.length === 0 && { check }),
  };
}

/** Returns the segments of a typed path that may be any text, such as a name. The journal masks them. */
async function freeSegmentsOf(path: string, { params }: Operation): Promise<readonly string[]> {
  if (Object.keys(params).length > 0) return [];
  const { everyOperation } = await import('../resources/index.ts');
  const apiWords = new Set(everyOperation().flatMap(([, operation]) => operation.path.split('/')));
  const isKnownSegment = (segment: string, at: number) =>
    apiWords.has(segment) || /^(\d{1,12}|[0-9a-f]{32})$/.test(segment) || (at === 1 && /^[a-z_]+$/.test(segment));
  return path
    .split('/')
    .filter((segment, at) => !isKnownSegment(segment, at))
    .flatMap((segment) => [segment, decodeURIComponent(segment)]);
}

function maskSegments(segments: readonly string[], text: string): string {
  const parts = text.split(/([/?&=,:])/);
  return parts.map((part) => (segments.includes(part) ? '***' : part)).join('');
}

export function recordedFailureOf(error: CliError, { run }: ActiveWrite): RecordedAnswer {
  const exit_code = exitCodeOf(error, run.app.signal.reason);
  const { status } = error.details;
  return { outcome: answerOutcomeOf(error), exit_code, ...(status !== undefined && { status }) };
}

function answerOutcomeOf({ kind, details }: CliError): AnswerOutcome {
  if (kind === 'outcome_unknown') return 'unknown';
  if (details.extra?.['request_sent'] === true) return 'interrupted';
  return details.status === undefined ? 'not_sent' : 'refused';
}

export function recordedEndOf(error: CliError, { run }: ActiveWrite): RecordedEnd {
  const outcome = endOutcomeByKind[error.kind] ?? 'unseen';
  return { outcome, exit_code: exitCodeOf(error, run.app.signal.reason) };
}

const endOutcomeByKind: Partial<Record<ErrorKind, EndOutcome>> = {
  operation_failed: 'failed',
  interrupted: 'interrupted',
  pending: 'pending',
};

/** Returns the error for an answer that could not be processed, so that the outcome of the change is unknown. */
export function unreadableAnswerError(error: unknown, { operation, input }: ActiveWrite): CliError {
  const why = whyText(error);
  const checkCommand = outcomeCheckCommand(operation, input);
  return new CliError('outcome_unknown', `outcome unknown; the change may have been applied: ${why}`, {
    why,
    hint: checkCommand ?? 'no command can check this; check with the service before you repeat the change',
    extra: { request_sent: true },
    check: checkCommand ?? null,
    cause: error,
  });
}

export function unseenEndError(error: unknown, { name, resume }: Watch, value: unknown): CliError {
  return new CliError('pending', `cannot tell whether ${name} finished: ${whyText(error)}`, {
    hint: resume,
    partial: { value },
    cause: error,
  });
}

/** Returns the content of an answer. The raw response to a typed path is unwrapped like the reply of an operation. */
export function replyContent({ reply }: Operation, answer: unknown): unknown {
  if (reply.envelope !== 'raw') return answer;
  const { body } = answer as RawResponse;
  const content = hasResponse(body) ? body.response : body;
  return Array.isArray(content) && content.length === 1 ? content[0] : content;
}

export function withContent({ reply }: Operation, answer: unknown, content: unknown): unknown {
  if (reply.envelope !== 'raw') return content;
  const { body, ...rest } = answer as RawResponse;
  return { ...rest, body: hasResponse(body) ? { ...body, response: content } : content };
}

function hasResponse(body: unknown): body is { readonly response: unknown } {
  return isObject(body) && 'response' in body;
}

/** Returns what the journal stores about an answer. The outcome is `queued` while an action still makes the change. */
export function recordedAnswerOf(operation: Operation, answer: unknown): RecordedAnswer {
  const action = actionOfOperation(operation, replyContent(operation, answer));
  const isQueued = action ? !isSuccessful(action) : operation.queues === true;
  const outcome = isQueued ? 'queued' : 'done';
  return { outcome, exit_code: 0, ...referenceFields(operation, answer) };
}

/** Returns the action or deployment that an answer names: `action 812`, `deployment 1042`. Empty without either. */
export function referenceFields(operation: Operation, answer: unknown): { readonly reference?: string } {
  const action = actionOfOperation(operation, replyContent(operation, answer));
  if (action) return action.id === null ? {} : { reference: `action ${action.id}` };
  const { id } = operation.path.endsWith('/deployments') && isObject(answer) ? answer : {};
  return typeof id === 'number' ? { reference: `deployment ${id}` } : {};
}
