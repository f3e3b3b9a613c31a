import { writes } from '../../contract/operation.ts';
import { StackAction } from '../../resources/action.ts';
import { deployments } from '../../resources/deployment.ts';
import { Variant } from '../../resources/variant.ts';
import { queueShapeA } from '../effects/queue.ts';
import type { HeldStack, State, StoredAction } from '../state.ts';
import { stackOf } from '../world.ts';
import { documented } from './documented.ts';
import type { Exchange, ReplyForm } from './reply-form.ts';

/**
 * Replies of newer clients: every write in a stack answers with an action record, and takes effect when that ends;
 * a redeploy names its action; variants carry `type` and `sub_type`.
 */
export const actionReplies: ReplyForm = (exchange) => {
  const { operation } = exchange;
  if (operation === deployments.create) return redeploy(exchange);
  if (operation.reply.record === Variant) return documented({ ...exchange, work: withTypes(exchange.work) });
  if (!writes(operation) || operation.reply.record === StackAction) return documented(exchange);
  const stack = stackIn(exchange);
  if (!stack) return documented(exchange);
  return { response: actionFor(exchange, stack) };
};

function redeploy({ input, world, work }: Exchange): unknown {
  const { message, queued } = work(world, input) as { readonly message: string; readonly queued: boolean };
  return { response: { ok: true, message, queued, async_action_id: world.state.next.action - 1 } };
}

type Work = Exchange['work'];

function withTypes(work: Work): Work {
  return (world, input) => (work(world, input) as readonly Readonly<Record<string, unknown>>[]).map(typed);
}

/** Rollouts are one type, of which `canary` and `blue_green` are the kinds. */
function typed({ variant_type, ...rest }: Readonly<Record<string, unknown>>): object {
  const isRollout = variant_type !== 'active' && variant_type !== 'preview';
  return { ...rest, type: isRollout ? 'rollout' : variant_type, sub_type: isRollout ? variant_type : null };
}

function stackIn({ world, input }: Exchange): HeldStack | undefined {
  const uid = input['stack_id'];
  return typeof uid === 'string' ? stackOf(world, uid) : undefined;
}

/**
 * The operation runs on a copy first: a refusal is immediate, and an operation that queues an action has one already.
 */
function actionFor(exchange: Exchange, stack: HeldStack): StoredAction {
  const { id, input, world, work } = exchange;
  const before = world.state.next.action;
  const copy: State = structuredClone(world.state);
  work({ ...world, state: copy }, input);
  if (copy.next.action > before) {
    work(world, input);
    return structuredClone(stack.actions.at(-1)?.row as StoredAction);
  }
  return queueShapeA(world, stack, {
    effect: { kind: 'operation', id, input, caller: world.caller },
    subject: { action: nameOf(id), resource_type: 'stack', resource_id: stack.row.uid },
  });
}

/** Names known from the service; others are those of the operation. */
const knownNames: ReadonlyMap<string, string> = new Map([
  ['environments.create', 'env-var-new'],
  ['environments.update', 'env-var-update'],
]);

function nameOf(id: string): string {
  return knownNames.get(id) ?? id.replace('.', '_');
}
