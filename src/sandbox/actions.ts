import { stamp } from './seed/made-up.ts';
import type {
  DatabaseEffect,
  Effect,
  HeldAction,
  HeldStack,
  OperationEffect,
  StackEffect,
  State,
  StoredAction,
} from './state.ts';
import type { ActionOwner, Ending, SandboxWorld } from './world.ts';

/** A record of shape A that has not begun; about the stack itself without a server. */
export function newShapeA(
  { state, caller }: { readonly state: State; readonly caller: { readonly name: string } },
  stack: HeldStack,
  action: string,
  server?: string,
): StoredAction & { readonly id: number } {
  return {
    id: state.next.action++,
    user: caller.name,
    resource_type: server === undefined ? 'stack' : 'server',
    action,
    resource_id: server ?? stack.row.uid,
    started_via: 'api',
    started_at: null,
    finished_at: null,
    finished_success: null,
    finished_message: null,
  };
}

/**
 * Queues an action record of shape A, such as `stack-set: git.branch`, which shows a start time at once, and returns it
 * as the reply.
 */
export function queueShapeA(
  world: SandboxWorld,
  stack: HeldStack,
  action: string,
  effect: StackEffect | OperationEffect,
): StoredAction {
  const server = 'server' in effect ? effect.server : undefined;
  const row = { ...newShapeA(world, stack, action, server), started_at: stamp(world.now) };
  stack.actions.push({ row, phase: 'started', queuedMs: world.now.getTime(), effect });
  return structuredClone(row);
}

type ShapeBEffect = DatabaseEffect | Extract<Effect, { readonly kind: 'stack_reboot' }>;

/** Queues an action record of shape B and returns it as the reply. */
export function queueShapeB({ state, now }: SandboxWorld, owner: ActionOwner, effect: ShapeBEffect): StoredAction {
  const at = stamp(now);
  const row: StoredAction = {
    id: state.next.action++,
    status: 'queued',
    action_type: effect.kind,
    ...subjectOf(owner, effect),
    started_via: 'api',
    started_at: null,
    finished_at: null,
    finished_success: null,
    finished_message: null,
    created_at: at,
    updated_at: at,
  };
  owner.actions.push({ row, phase: 'queued', queuedMs: now.getTime(), effect });
  return structuredClone(row);
}

function subjectOf({ row }: ActionOwner, effect: ShapeBEffect): Pick<StoredAction, 'resource_type' | 'resource_id'> {
  if (effect.kind === 'stack_reboot') return { resource_type: 'stack', resource_id: row.uid };
  const resource_type = effect.kind.startsWith('database_user') ? 'database_user' : 'database';
  return { resource_type, resource_id: 'uid' in effect ? effect.uid : null };
}

export function startAction(action: HeldAction, atMs: number): void {
  moveOn(action, 'started', atMs, { started_at: stamp(atMs) });
}

export function finishAction(action: HeldAction, atMs: number, { success, message, resourceId }: Ending): void {
  const facts = { finished_at: stamp(atMs), finished_success: success, finished_message: message };
  moveOn(action, 'finished', atMs, { ...facts, ...(resourceId !== undefined && { resource_id: resourceId }) });
}

function moveOn(action: HeldAction, phase: HeldAction['phase'], atMs: number, facts: Partial<StoredAction>): void {
  action.phase = phase;
  // Only shape B carries a status and its own timestamps.
  const ofShapeB = action.row.status !== undefined && { status: phase, updated_at: stamp(atMs) };
  Object.assign(action.row, facts, ofShapeB);
}
