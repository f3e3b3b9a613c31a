import { isWriteOperation } from '../../contract/operation.ts';
import type { Row } from '../../contract/record.ts';
import { isGatewayOpen } from '../../resources/account.ts';
import { StackAction } from '../../resources/action.ts';
import { deployments } from '../../resources/deployment.ts';
import { Server } from '../../resources/server.ts';
import { TagEntry } from '../../resources/tag.ts';
import { Variant } from '../../resources/variant.ts';
import { addStartedAction } from '../actions.ts';
import { type SandboxContext, stackOf } from '../context.ts';
import type { ActionRecord, StackState, State } from '../state.ts';
import { type Exchange, type MakeReply, makeDocumentedReply } from './forms.ts';

/**
 * Makes replies for newer clients. Every write in a stack returns an action record and takes effect when that action
 * ends. The reply to a redeploy has the ID of its action. Variants have `type` and `sub_type`, servers have their
 * gateway, and times of tags are in ISO 8601. A single value is one object in `response`, and no reply is empty.
 */
export const makeActionReply: MakeReply = (exchange) => {
  const { operation } = exchange;
  if (operation === deployments.create) return replyToRedeploy(exchange);
  const stack = isWriteOperation(operation) && operation.reply.record !== StackAction ? stackIn(exchange) : undefined;
  return stack ? { response: queueWholeOperation(exchange, stack) } : replyWithOneObject(exchange);
};

function replyWithOneObject(exchange: Exchange): unknown {
  const { operation, input, context } = exchange;
  const handler = handlerWithNewFields(exchange);
  if (operation.reply.envelope === 'page') return makeDocumentedReply({ ...exchange, handler });
  return { response: handler(context, input) ?? { ok: true } };
}

function replyToRedeploy({ input, context, handler }: Exchange): unknown {
  const { message, queued } = handler(context, input) as { readonly message: string; readonly queued: boolean };
  return { response: { ok: true, message, queued, async_action_id: context.state.next.action - 1 } };
}

type ExchangeHandler = Exchange['handler'];

function handlerWithNewFields({ operation: { reply }, context, handler }: Exchange): ExchangeHandler {
  const addFields = new Map<unknown, (row: Row) => Row>([
    [Variant, withSubType],
    [Server, (row) => ({ ...row, ...gatewayFields(context) })],
    [TagEntry, withIsoTimes],
  ]).get(reply.record);
  if (!addFields) return handler;
  return (handlerContext, input) => {
    const value = handler(handlerContext, input) as Row | readonly Row[];
    return Array.isArray(value) ? value.map(addFields) : addFields(value as Row);
  };
}

function gatewayFields({ state, now }: SandboxContext): Row {
  const gateways = state.accounts.flatMap((account) => account.gateways);
  const gateway = gateways.find(({ ttl }) => isGatewayOpen({ ttl }, now));
  if (!gateway) return { has_deploy_gateway: false };
  const { address, username } = gateway;
  return { has_deploy_gateway: true, deploy_gateway_address: address, deploy_gateway_user_name: username };
}

function withSubType({ variant_type, ...rest }: Row): Row {
  // Any other variant is a rollout: its type is `rollout`, and its sub-type is `canary` or `blue_green`.
  if (variant_type === 'active' || variant_type === 'preview') return { ...rest, type: variant_type, sub_type: null };
  return { ...rest, type: 'rollout', sub_type: variant_type };
}

function withIsoTimes({ created_at_iso, updated_at_iso, ...rest }: Row): Row {
  const toIsoTime = (time: unknown) => String(time).replace(/\+0000$/, '+00:00');
  return { ...rest, created_at_iso: toIsoTime(created_at_iso), updated_at_iso: toIsoTime(updated_at_iso) };
}

function stackIn({ context, input: { stack_id: uid } }: Exchange): StackState | undefined {
  return typeof uid === 'string' ? stackOf(context, uid) : undefined;
}

function queueWholeOperation(exchange: Exchange, stack: StackState): ActionRecord {
  const { id, input, context, handler } = exchange;
  // The handler first runs on a copy of the state, to throw a refusal at once, and to see whether it queues an action.
  const stateCopy: State = structuredClone(context.state);
  handler({ ...context, state: stateCopy }, input);
  if (stateCopy.next.action > context.state.next.action) {
    handler(context, input);
    return structuredClone(stack.actions.at(-1)?.row as ActionRecord);
  }
  const wholeContext = { ...context, effect: { ...context.effect, isWhole: true } as const };
  return addStartedAction(wholeContext, stack, { action: actionNameByOperation.get(id) ?? id.replace('.', '_') });
}

/** The service's names of actions, by ID of the operation. Any other action is named after its operation. */
const actionNameByOperation: ReadonlyMap<string, string> = new Map([
  ['environments.create', 'env-var-new'],
  ['environments.update', 'env-var-update'],
]);
