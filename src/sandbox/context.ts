import type { InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import type { Catalogue } from '../resources/index.ts';
import type { ActionRecord, OperationCall, ServerState, StackState, State } from './state.ts';

/** Arguments of a handler beside the input. A handler changes `state` in place. */
export interface SandboxContext {
  readonly state: State;
  readonly now: Date;
  readonly scopes: readonly string[];
  /** The requested operation and its input. A queued action stores both, because it runs the handler again later. */
  readonly effect: OperationCall;
  /** The step to run if a queued action runs the handler again; undefined while the handler answers a request. */
  readonly step?: ActionStep;
  /** Base address of backup files, such as `http://127.0.0.1:8300/storage`. */
  readonly storage: string;
  readonly strict: boolean;
  readonly failActions: boolean;
}

export function stackOf({ state }: SandboxContext, uid: string): StackState {
  return state.stacks.find(({ row }) => row.uid === uid) ?? refuse(404, `stack "${uid}" not found`);
}

type ServerIds = { readonly stack_id: string; readonly server_id: string };

export function serverOf(context: SandboxContext, { stack_id, server_id }: ServerIds): ServerState {
  const { servers } = stackOf(context, stack_id);
  return servers.find(({ row }) => row.uid === server_id) ?? refuse(404, `server "${server_id}" not found`);
}

type RefusalStatus = 400 | 401 | 403 | 404 | 501;

export interface Refusal extends Error {
  readonly status: RefusalStatus;
  /** Error code of the response, in place of the usual code of the status. */
  readonly code?: string | undefined;
}

/** Throws a `Refusal`. `answerRequest` turns it into an error response that contains `details`. */
export function refuse(status: RefusalStatus, details: string, code?: string): never {
  throw Object.assign(new Error(details), { name: 'Refusal', status, code });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && error.name === 'Refusal';
}

/** A function that carries out an operation and returns its reply. A list is returned whole, and paged later. */
export type Handler<O extends Operation> = (context: SandboxContext, input: InputOf<O>) => ReplyOf<O>;

export type HandlersOf<ResourceType extends keyof Catalogue> = {
  readonly [Verb in keyof Catalogue[ResourceType]]: Catalogue[ResourceType][Verb] extends Operation
    ? Handler<Catalogue[ResourceType][Verb]>
    : never;
};

/** The handlers of all operations. A missing handler is a compile error. */
export type Handlers = { readonly [ResourceType in keyof Catalogue]: HandlersOf<ResourceType> };

/** A step of an action. For each step, the handler of the action's operation runs again. */
export interface ActionStep {
  readonly phase: 'begin' | 'end' | 'fail';
  readonly row: ActionRecord;
  /** Result of the action; set by the step `end`. */
  result?: ActionResult;
}

export interface ActionResult {
  readonly message: string;
  readonly resource_id?: string;
}

export interface ActionOutcome extends ActionResult {
  readonly success: boolean;
}
