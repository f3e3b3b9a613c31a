import { stamp } from '../seed/made-up.ts';
import type { DatabaseEffect, Effect, HeldStack, OperationEffect, StackEffect, StoredAction } from '../state.ts';
import type { SandboxWorld } from '../world.ts';
import { type ActionOwner, beginEffect } from './effects.ts';

interface Subject {
  /** `stack-set: git.branch`, `server_reboot` */
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string;
}

/** Queues an action record of shape A, which shows a start time at once, and returns it as the reply. */
export function queueShapeA(
  { state, now, caller }: SandboxWorld,
  stack: HeldStack,
  { effect, subject }: { readonly effect: StackEffect | OperationEffect; readonly subject: Subject },
): StoredAction {
  const row: StoredAction = {
    id: state.next.action++,
    user: caller.name,
    resource_type: subject.resource_type,
    action: subject.action,
    resource_id: subject.resource_id,
    started_via: 'api',
    started_at: stamp(now),
    finished_at: null,
    finished_success: null,
    finished_message: null,
  };
  stack.actions.push({ row, phase: 'started', queuedMs: now.getTime(), effect });
  beginEffect(stack, effect);
  return structuredClone(row);
}

/** Queues an action record of shape B and returns it as the reply. */
export function queueShapeB({ state, now }: SandboxWorld, holder: ActionOwner, effect: ShapeBEffect): StoredAction {
  const at = stamp(now);
  const row: StoredAction = {
    id: state.next.action++,
    status: 'queued',
    action_type: effect.kind,
    ...subjectOf(holder, effect),
    started_via: 'api',
    started_at: null,
    finished_at: null,
    finished_success: null,
    finished_message: null,
    created_at: at,
    updated_at: at,
  };
  holder.actions.push({ row, phase: 'queued', queuedMs: now.getTime(), effect });
  return structuredClone(row);
}

type ShapeBEffect = DatabaseEffect | Extract<Effect, { readonly kind: 'stack_reboot' }>;

function subjectOf({ row }: ActionOwner, effect: ShapeBEffect): Pick<StoredAction, 'resource_type' | 'resource_id'> {
  if (effect.kind === 'stack_reboot') return { resource_type: 'stack', resource_id: row.uid };
  const resource_type = effect.kind.startsWith('database_user') ? 'database_user' : 'database';
  return { resource_type, resource_id: 'uid' in effect ? effect.uid : null };
}
