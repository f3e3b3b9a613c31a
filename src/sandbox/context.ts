import type { InputOf, Operation, ReplyOf } from '../contract/operation.ts';
import type { Catalogue } from '../resources/index.ts';
import type { ActionRecord, Effect, ServerState, StackState, State } from './state.ts';

/** The context of a handler, which changes `state` in place. */
export interface SandboxContext {
  readonly state: State;
  readonly now: Date;
  readonly scopes: readonly string[];
  /** The operation, for the action that carries it out later. */
  readonly effect: Effect;
  /** Set while the action carries the operation out: the checks run again, because actions may conflict. */
  readonly late?: Late;
  /** Base address of backup files, such as `http://127.0.0.1:8300/storage`. */
  readonly storage: string;
  readonly strict: boolean;
  /** New actions and deployments fail without effect. */
  readonly failActions: boolean;
}

export function stackOf({ state }: SandboxContext, uid: string): StackState {
  return state.stacks.find(({ row }) => row.uid === uid) ?? refuse(404, `stack "${uid}" not found`);
}

export function serverOf(
  context: SandboxContext,
  place: { readonly stack_id: string; readonly server_id: string },
): ServerState {
  const { servers } = stackOf(context, place.stack_id);
  return servers.find(({ row }) => row.uid === place.server_id) ?? refuse(404, `server "${place.server_id}" not found`);
}

type RefusalStatus = 400 | 401 | 403 | 404 | 501;

export interface Refusal extends Error {
  readonly status: RefusalStatus;
  /** Replaces the usual code of the status. */
  readonly code?: string | undefined;
}

/** Ends the request with an error body; the operator reads `details`. */
export function refuse(status: RefusalStatus, details: string, code?: string): never {
  throw Object.assign(new Error(details), { name: 'Refusal', status, code });
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && error.name === 'Refusal';
}

/** Carries out an operation. Lists are returned whole and split into pages later. */
export type Handler<O extends Operation> = (context: SandboxContext, input: InputOf<O>) => ReplyOf<O>;

export type HandlersOf<ResourceType extends keyof Catalogue> = {
  readonly [Verb in keyof Catalogue[ResourceType]]: Catalogue[ResourceType][Verb] extends Operation
    ? Handler<Catalogue[ResourceType][Verb]>
    : never;
};

/** The handlers of all operations; a missing one does not compile. */
export type Handlers = { readonly [ResourceType in keyof Catalogue]: HandlersOf<ResourceType> };

/** One step of an action. */
export interface Late {
  readonly phase: 'begin' | 'end' | 'fail';
  readonly row: ActionRecord;
  /** Set at the end of the action. */
  ending?: Ending;
}

export interface Ending {
  readonly message: string;
  readonly resource_id?: string;
}
