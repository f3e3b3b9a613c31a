import { flag, instant, integer, nullable, opaque, optional, text } from '../contract/field.ts';
import { type Operation, operation } from '../contract/operation.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { isActionRecord, one, page, type Reply } from '../contract/reply.ts';
import { isObject } from '../contract/values/json.ts';

/** Record of an action. Shape A of service.md has `user` and `action`, shape B has `status` and `action_type`. */
export const StackAction = record(
  'action',
  {
    id: nullable(integer('ID of the action; null when the response was lost.')),
    action: optional(text('Type of action (first response form).', { aliases: ['action_type'] })),
    action_type: optional(text('Type of action (second response form).')),
    status: optional(text('Status; only `queued` is documented.')),
    user: optional(text('User who started it.')),
    resource_type: text('Type of resource.', { heading: 'resource' }),
    resource_id: nullable(text('ID of the resource.')),
    started_via: text('Channel that started it, such as api.'),
    started_at: nullable(instant('Start time.')),
    finished_at: nullable(instant('End time.')),
    finished_success: nullable(flag('Whether it succeeded.', { label: 'succeeded' })),
    finished_message: nullable(text('Final message.', { label: 'message' })),
    metadata: optional(opaque('Details, such as the user reference.')),
    created_at: optional(instant('Creation time.')),
    updated_at: optional(instant('Time of the last change.')),
  },
  ['id', 'action', 'started_at', 'finished_success', 'finished_message', 'finished_at', 'resource_type'],
  { wrappedColumn: 'finished_message' },
);

export const queuedActionReply: Reply<RecordOf<typeof StackAction>> = one(StackAction, ['id']);

export type Action = RecordOf<typeof StackAction>;

export function isAction(value: unknown): value is Action {
  return isActionRecord(value);
}

export const notBegunFields = {
  started_via: 'api',
  started_at: null,
  finished_at: null,
  finished_success: null,
  finished_message: null,
};

/** Returns an action with these fields. The default is an action of a stack. It has no ID and has not begun. */
export function createAction(fields: Partial<Action>): Action {
  return { id: null, resource_type: 'stack', resource_id: null, ...notBegunFields, ...fields };
}

/** Returns the action in a reply, also if the reply has only its ID (`async_action_id`); undefined if there is none. */
export function actionInReply(reply: unknown): Action | undefined {
  if (isAction(reply)) return reply;
  if (!isObject(reply)) return undefined;
  const { async_action_id: id } = reply;
  return typeof id === 'number' ? createAction({ ...reply, id }) : undefined;
}

/** Returns the action in a reply, if any. If the operation declares an action as its reply, any reply counts as one. */
export function actionOfOperation({ reply: { record } }: Operation, reply: unknown): Action | undefined {
  const action = actionInReply(reply);
  if (action || record !== StackAction) return action;
  return createAction(typeof reply === 'object' ? { ...reply } : {});
}

/** Returns the ID of an action; null if it has no ID, or an ID that no request can use, such as a bigint. */
export function actionIdOf(action: Action): number | null {
  const id = actionInReply(action)?.id ?? action.id;
  return Number.isInteger(id) ? id : null;
}

/** Returns an action and its state as text, such as `action 812, queued`; only the state if the action has no ID. */
export function actionText(action: Action): string {
  const id = actionIdOf(action);
  const state = hasEnded(action) ? actionState(action) : 'queued';
  return id === null ? state : `action ${id}, ${state}`;
}

export function actionState(action: Action): 'queued' | 'running' | 'succeeded' | 'failed' {
  if (!hasEnded(action)) return action.started_at ? 'running' : 'queued';
  return isSuccessful(action) ? 'succeeded' : 'failed';
}

export function isSuccessful({ finished_success }: Action): boolean {
  return finished_success === true;
}

/** True if the action has an end time or a result. An action of which only the effect was seen has no end time. */
export function hasEnded({ finished_at, finished_success }: Action): boolean {
  return Boolean(finished_at) || (finished_success !== null && finished_success !== undefined);
}

/** Returns the user reference that a service may store in the metadata of an action; else undefined. */
export function userReferenceIn(metadata: unknown): unknown {
  return isObject(metadata) ? metadata['user_reference'] : undefined;
}

export const actions = {
  list: operation('GET /stacks/:stack_id/actions', {
    params: { user_reference: optional(text('Only actions started with this reference.', { placeholder: 'text' })) },
    reply: page(StackAction),
    outside: true,
  }),
  get: operation('GET /stacks/:stack_id/actions/:id', {
    about: 'Show one action of a stack.',
    params: { id: integer('ID of the action.', { label: 'action', nameKind: 'action' }) },
    reply: one(StackAction),
    idParam: 'id',
    listCommand: 'action list',
    outside: true,
    missing: 'action {id}',
  }),
};
