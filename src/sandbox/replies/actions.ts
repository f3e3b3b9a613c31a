import { writes } from '../../contract/operation.ts';
import type { Row } from '../../contract/record.ts';
import { isGatewayOpen } from '../../resources/account.ts';
import { StackAction } from '../../resources/action.ts';
import { deployments } from '../../resources/deployment.ts';
import { Server } from '../../resources/server.ts';
import { TagEntry } from '../../resources/tag.ts';
import { Variant } from '../../resources/variant.ts';
import { pushShapeA } from '../actions.ts';
import { stackOf } from '../context.ts';
import type { ActionRecord, GatewayRecord, StackState, State } from '../state.ts';
import { documented, type Exchange, type ReplyForm } from './forms.ts';

/**
 * Replies for newer clients: every write in a stack returns an action record, and takes effect when the action ends. A
 * redeploy names its action, variants have `type` and `sub_type`, servers have their gateway, times of tags are ISO 8601. A single value is one
 * object in `response`, and a reply is never empty.
 */
export const actionReplies: ReplyForm = (exchange) => {
  const { operation } = exchange;
  if (operation === deployments.create) return redeploy(exchange);
  const stack = writes(operation) && operation.reply.record !== StackAction ? stackIn(exchange) : undefined;
  return stack ? { response: actionFor(exchange, stack) } : oneObject(exchange);
};

function oneObject(exchange: Exchange): unknown {
  const { operation, input, context } = exchange;
  const work = withRecord(exchange);
  switch (operation.reply.envelope) {
    case 'sole':
    case 'bare':
      return { response: work(context, input) };
    case 'nothing':
      work(context, input);
      return { response: { ok: true } };
    default:
      return documented({ ...exchange, work });
  }
}

function redeploy({ input, context, work }: Exchange): unknown {
  const { message, queued } = work(context, input) as { readonly message: string; readonly queued: boolean };
  return { response: { ok: true, message, queued, async_action_id: context.state.next.action - 1 } };
}

type Work = Exchange['work'];

function withRecord({ operation: { reply }, context, work }: Exchange): Work {
  const gateway = context.state.accounts
    .flatMap(({ gateways }) => gateways)
    .find(({ ttl }) => isGatewayOpen({ ttl }, context.now));
  const more = new Map<unknown, (row: Row) => Row>([
    [Variant, withSubType],
    [Server, (row) => ({ ...row, ...gatewayFields(gateway) })],
    [TagEntry, withIsoTimes],
  ]).get(reply.record);
  if (!more) return work;
  return (at, input) => {
    const value = work(at, input) as Row | readonly Row[];
    return Array.isArray(value) ? value.map(more) : more(value as Row);
  };
}

function gatewayFields(gateway: GatewayRecord | undefined): Row {
  if (!gateway) return { has_deploy_gateway: false };
  const { address, username } = gateway;
  return { has_deploy_gateway: true, deploy_gateway_address: address, deploy_gateway_user_name: username };
}

function withSubType({ variant_type, ...rest }: Row): Row {
  // The type of a rollout is `rollout`, its sub-type `canary` or `blue_green`.
  if (variant_type === 'active' || variant_type === 'preview') return { ...rest, type: variant_type, sub_type: null };
  return { ...rest, type: 'rollout', sub_type: variant_type };
}

function withIsoTimes({ created_at_iso, updated_at_iso, ...rest }: Row): Row {
  const iso = (time: unknown) => String(time).replace(/\+0000$/, '+00:00');
  return { ...rest, created_at_iso: iso(created_at_iso), updated_at_iso: iso(updated_at_iso) };
}

function stackIn({ context, input }: Exchange): StackState | undefined {
  const uid = input['stack_id'];
  return typeof uid === 'string' ? stackOf(context, uid) : undefined;
}

function actionFor(exchange: Exchange, stack: StackState): ActionRecord {
  const { id, input, context, work } = exchange;
  // First on a copy, because a refusal is immediate, and an operation may have queued its own action.
  const before = context.state.next.action;
  const copy: State = structuredClone(context.state);
  work({ ...context, state: copy }, input);
  if (copy.next.action > before) {
    work(context, input);
    return structuredClone(stack.actions.at(-1)?.row as ActionRecord);
  }
  const whole = { ...context, effect: { ...context.effect, isWhole: true } as const };
  return pushShapeA(whole, stack, { action: knownNames.get(id) ?? id.replace('.', '_') });
}

/** Action names that are known from the service; others use the name of the operation. */
const knownNames: ReadonlyMap<string, string> = new Map([
  ['environments.create', 'env-var-new'],
  ['environments.update', 'env-var-update'],
]);
